#if os(macOS)
  import Foundation
  import Testing

  /// The main loop of an app with AppKit and SwiftUI, in a process of its own.
  @Suite(.onOwnLoop) struct AppKitTests {
    /// AppKit ends a run for each event, and handles the event afterwards.
    @Test func tasksRunBeforeAnEventThatHasArrivedIsHandled() throws {
      let events = try events(of: "event")
      // AppKit decides whether the loop sleeps before the end of that run.
      #expect(events.filter { $0 != "nextLoopBegan" } == ["currentLoopEnded", "idle", "event"])
      #expect(events.filter { $0 == "nextLoopBegan" }.count == 1)
    }

    @Test func aTaskMayRunAPanel() throws {
      let expected = ["{", "second task of the batch", "begins a pass of the panel", "}", "default mode"]
      #expect(try events(of: "modal") == expected)
    }

    @Test func commonTasksRunWhileAViewTracksTheMouse() throws {
      #expect(try events(of: "tracking") == ["{", "while tracking", "}", "default mode"])
    }

    /// The changes of a task at the end of a pass are committed with those of the code that scheduled it. After an
    /// event the system decides, so either is right.
    @Test func aTaskIsInTheTransactionOfTheCodeThatScheduledIt() throws {
      let events = try events(of: "transactions")
      #expect(events.prefix(2) == ["block: the same transaction", "timer: the same transaction"])
      #expect(events.count == 3)
      #expect(["event: the same transaction", "event: another transaction"].contains(events.last))
    }

    @Test func stateThatATaskChangesIsRenderedInAnIdleApp() throws {
      #expect(try events(of: "state") == ["rendered at once"])
    }

    private func events(of probe: String) throws -> [String] {
      let result = try Program.run("MainLoopProbe", [probe])
      #expect(result.status == 0, "\(result.error)")
      return result.lines
    }
  }
#endif
