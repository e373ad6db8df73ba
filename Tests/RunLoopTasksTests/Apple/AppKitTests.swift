#if os(macOS)
  import Foundation
  import Testing

  /// The main loop of an app of AppKit and SwiftUI, in a process of its own.
  @Suite struct AppKitTests {
    /// AppKit leaves a run for each event, and handles it afterwards.
    @Test func tasksRunBeforeAnEventThatHasArrivedIsHandled() throws {
      let events = try events(of: "event")
      // Whether the loop sleeps before that run is left is AppKit's affair.
      #expect(events.filter { $0 != "nextLoopBegan" } == ["currentLoopEnded", "idle", "event"])
      #expect(events.filter { $0 == "nextLoopBegan" }.count == 1)
    }

    @Test func aTaskMayRunAPanel() throws {
      let expected = ["{", "rest of the batch", "begins a pass of the panel", "}", "default mode"]
      #expect(try events(of: "modal") == expected)
    }

    @Test func commonTasksRunWhileAViewTracksTheMouse() throws {
      #expect(try events(of: "tracking") == ["{", "while tracking", "}", "default mode"])
    }

    /// What a task changes at the end of a pass is committed with what scheduled it. After an event the system decides.
    @Test func aTaskIsInTheTransactionOfWhatScheduledIt() throws {
      let events = try events(of: "transactions")
      #expect(events.prefix(2) == ["block: the same transaction", "timer: the same transaction"])
      #expect(events.count == 3)
      print(events.last ?? "")
    }

    @Test func stateThatATaskChangesIsRenderedInAQuietApp() throws {
      #expect(try events(of: "state") == ["rendered at once"])
    }

    private func events(of probe: String) throws -> [String] {
      let result = try Program.run("MainLoopProbe", probe)
      #expect(result.status == 0, "\(result.error)")
      return result.lines
    }
  }
#endif
