import Testing

/// The tests of the main loop. They share that loop, and a test that runs it also runs the tasks and moves the clock of
/// the others. So they run one after the other, and those of nested suites, too.
@Suite(.serialized) enum TestsOfTheMainLoop {}
