import Foundation
import RunLoopTasks
import RunLoopVirtualTime
import Testing

/// `OwnerKey`, a key that belongs to an object.
@Suite(.onOwnLoop) struct OwnerKeyTests {
  private final class Owner: Sendable {}

  private final class DyingOwner {
    let key: Box<[OwnerKey]>
    init(_ key: Box<[OwnerKey]>) { self.key = key }
    deinit { key.add([OwnerKey(self), OwnerKey(self)]) }
  }

  /// On Apple's platforms a class of Objective-C.
  private final class DyingObject: NSObject {
    let key: Box<[OwnerKey]>
    init(_ key: Box<[OwnerKey]>) { self.key = key }
    deinit { key.add([OwnerKey(self), OwnerKey(self)]) }
  }

  let log = Log()

  @Test func keysAreEqualIfOwnerAndNameAre() {
    let (one, other) = (Owner(), Owner())
    #expect(OwnerKey(one) == OwnerKey(one) && OwnerKey(one).hashValue == OwnerKey(one).hashValue)
    #expect(OwnerKey(one) != OwnerKey(other))
    #expect(OwnerKey(one, "save") == OwnerKey(one, "sa" + "ve") && OwnerKey(one, "save") != OwnerKey(one))
    #expect(OwnerKey(one, "") == OwnerKey(one) && OwnerKey(one, Substring()) != OwnerKey(one))
    #expect(OwnerKey(one, 1) == OwnerKey(one, 1) && OwnerKey(one, 1) != OwnerKey(one, UInt8(1)))
    #expect(OwnerKey(one, 1) != OwnerKey(one, 2) && OwnerKey(one, 1) != OwnerKey(other, 1))
    #expect(Set([OwnerKey(one), OwnerKey(other), OwnerKey(one), OwnerKey(one, 1)]).count == 3)
  }

  /// Else all keys of one owner would share a place in the table of keys.
  @Test func namesAreHashed() {
    let owner = Owner()
    #expect(Set((1...100).map { OwnerKey(owner, $0).hashValue }).count == 100)
  }

  @Test(arguments: [true, false]) func aThrottleNeverMeetsTheIntervalOfADeadOwner(posted: Bool) {
    let queue = RunLoop.current.taskQueue
    var addresses: Set<ObjectIdentifier> = []
    for _ in 1...300 {
      let owner = Owner()
      addresses.insert(ObjectIdentifier(owner))
      call(onOwnThread: !posted) {
        queue.perform(coalescedBy: OwnerKey(owner, "redraw"), atMostEvery: .seconds(3_000)) { log("ran") }
      }
      RunLoop.current.runPass()
    }
    #expect(log.events.count == 300)
    #expect(addresses.count < 300)  // so the memory of owners is used again, although their keys are still there
  }

  @Test func itCoalescesThrottlesAndFindsTheTasksOfItsOwner() {
    let (owner, other) = (Owner(), Owner())
    for number in 1...3 {
      RunLoop.current.perform { log("owner \(number)") }.when(.idle).coalesced(by: OwnerKey(owner))
      RunLoop.current.perform { log("name \(number)") }.when(.idle).coalesced(by: OwnerKey(owner, number / 3))
    }
    RunLoop.current.perform { log("other") }.when(.idle).coalesced(by: OwnerKey(other))
    #expect(RunLoop.current.runTask(coalescedBy: OwnerKey(owner)))
    #expect(!RunLoop.current.runTask(coalescedBy: OwnerKey(owner)))
    RunLoop.current.taskQueue.cancelTask(coalescedBy: OwnerKey(owner, 0))
    RunLoop.current.runPass()
    #expect(log.events == ["owner 3", "name 3", "other"])
  }

  @Test func aKeyDoesNotKeepItsOwnerAlive() {
    var owner: Owner? = Owner()
    weak let reference = owner
    let keys = (1...3).map { OwnerKey(owner!, $0) }
    owner = nil
    #expect(reference == nil)
    #expect(keys[0] == keys[0] && keys[0] != keys[1] && Set(keys).count == 3)
  }

  @Test func aDescriptionDoesNotTouchTheOwner() {
    var owner: Owner? = Owner()
    let key = OwnerKey(owner!, "save")
    owner = nil
    var text = ""
    dump(["key": key], to: &text)
    #expect("\([key]) \(String(reflecting: key)) \(text)".contains("OwnerKey(\"save\")"))
    RunLoop.current.perform {}.when(.idle).coalesced(by: key)
    #expect(!RunLoop.current.taskQueue.debugDescription.isEmpty)
  }

  @Test func aKeyMayBeMadeInDeinit() {
    let keys = Box<[OwnerKey]>([])
    for _ in 1...100 {
      _ = DyingOwner(keys)
      _ = DyingObject(keys)
    }
    #expect(keys.value.count == 400)
    #expect(keys.value.allSatisfy { $0 == $0 && $0.hashValue == $0.hashValue })
    #expect(Set(keys.value).count >= 200)  // those of two owners differ
    keys.value = []
  }

  /// Its `deinit` never runs inside a comparison of keys, so always on this thread.
  @Test func comparingKeysNeverRetainsTheOwner() {
    let (here, elsewhere, mustStop, keys) = (Counter(), Counter(), Box(false), Box<[OwnerKey]>([]))
    let own = ThreadID.current
    let comparers = (1...2).map { _ in
      JoinableThread {
        while !mustStop.value {
          let keys = keys.value
          for key in keys { _ = key == keys.first && key.hashValue != 0 }
        }
      }
    }
    for _ in 1...2_000 {
      let owner = Token { if ThreadID.current == own { here.count() } else { elsewhere.count() } }
      keys.value = [OwnerKey(owner), OwnerKey(owner)]
      owner.use()
    }
    mustStop.value = true
    for comparer in comparers { comparer.join() }
    #expect(here.value == 2_000 && elsewhere.value == 0)
  }

  @Test func eightThreadsMakeEqualKeysOfAnObject() {
    for _ in 1...200 {
      let (owner, keys) = (Owner(), Box<[OwnerKey]>([]))
      let threads = (1...8).map { _ in JoinableThread { keys.add([OwnerKey(owner)]) } }
      for thread in threads { thread.join() }
      #expect(Set(keys.value).count == 1 && keys.value.count == 8)
    }
  }
}
