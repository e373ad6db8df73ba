import Foundation
import Testing

#if os(macOS) || os(Linux)  // Other platforms cannot start processes.

  /// Which frame shows a change and the reload that belongs to it, in a simulated app.
  ///
  /// The simulation is in `MainLoopProbe`, because it needs what only a main thread has: the main loop, the main queue
  /// as the loop serves it, and the main actor.
  @Suite(.onOwnLoop) struct FrameTests {
    /// The table of the article has no columns for these.
    private static let otherWays = ["directly", "+ two links"]
    private static let updatesOfIOS26 = ["iOS 26, update by a port", "iOS 26, update in an observer"]

    @Test(arguments: FrameTable.ofArticle.cells)
    func theArticleSaysWhichFrameShowsTheReload(_ cell: FrameTable.Cell) throws {
      let frames = try #require(try Frames.all()[cell.request], "the simulation does not ask for a reload like this")
      #expect(frames.outcome == cell.outcome)
    }

    @Test func theTableOfTheArticleIsComplete() throws {
      let requests = try Frames.all().keys.filter {
        !Self.otherWays.contains($0.way) && !Self.updatesOfIOS26.contains($0.system)
      }
      #expect(requests.count == 9 * 3 + 8 * 2)
      #expect(FrameTable.ofArticle.cells.count == requests.count)
      #expect(Set(FrameTable.ofArticle.cells.map(\.request)) == Set(requests))
    }

    /// The rows hold for each way in which the system may make the update, but for the one that the article names.
    @Test(arguments: updatesOfIOS26)
    func theRowsOfIOS18HoldOnIOS26(_ system: String) throws {
      let all = try Frames.all()
      for (request, frames) in all where request.system == "iOS 18 and 26" {
        let onIOS26 = try #require(all[FrameRequest(system: system, asker: request.asker, way: request.way)])
        let isException =
          system.hasSuffix("port") && request.way == "task" && request.asker == "a main-queue block, with an update due"
        #expect(onIOS26.outcome == (isException ? "same" : frames.outcome), "\(request)")
      }
    }

    // MARK: the simulation itself

    /// The label and the list are in one frame if one callout changes both.
    @Test func theSimulationShowsAWholeFrame() throws {
      let direct = try Frames.all().filter { $0.key.way == "directly" }
      #expect(direct.count == 3 * 9 + 8)
      #expect(direct.values.allSatisfy { $0 == Frames(change: "1", reload: "1") })
    }

    /// A following block of the main queue reloads too late, because the system commits between the two blocks.
    @Test(arguments: [
      FrameRequest(system: "iOS 18 and 26", asker: "a main-queue block, with an update due", way: "async"),
      FrameRequest(system: "macOS 15", asker: "a main-queue block", way: "async"),
    ])
    func theSimulationShowsATornFrame(_ request: FrameRequest) throws {
      #expect(try Frames.all()[request] == Frames(change: "1", reload: "2"))
    }

    // MARK: two links

    @Test func anAppMayRunTheTasksTwiceInAnUpdate() throws {
      let all = try Frames.all()
      let twice = all.filter { $0.key.way == "+ two links" }
      #expect(twice.count == 3 * 9)
      for (request, frames) in twice {
        let once = FrameRequest(system: request.system, asker: request.asker, way: "+ link")
        #expect(all[once] == frames, "\(request)")
      }
    }
  }

  struct FrameRequest: Hashable {
    let system: String
    let asker: String
    let way: String
  }

  /// The numbers of the frames that show a change and its reload: "1" for the first, "1,2" for a change that is made
  /// twice.
  private struct Frames: Equatable {
    let change: String
    let reload: String

    /// As the article says it.
    var outcome: String {
      guard let change = Int(change), let reload = Int(reload) else { return "\(self)" }
      return reload == change ? "same" : reload == change + 1 ? "next" : "\(self)"
    }

    static func all() throws -> [FrameRequest: Frames] { try result.get() }

    private static let result = Result {
      let result = try Program.run("MainLoopProbe", ["frames"])
      #expect(result.status == 0, "\(result.error)")
      let rows = result.lines.map { $0.split(separator: "|").map(String.init) }.filter { $0.count == 5 }
      return Dictionary(
        uniqueKeysWithValues: rows.map {
          (FrameRequest(system: $0[0], asker: $0[1], way: $0[2]), Frames(change: $0[3], reload: $0[4]))
        })
    }
  }
#endif
