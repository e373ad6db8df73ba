// Other code that sets the hook of Swift's runtime which `RunLoopMain` sets.

#pragma once

/// Sets the hook to a function that says so and then does what the runtime does without the hook.
void setOtherHook(void);

/// Removes the hook, so that the runtime calls none.
void removeHook(void);

/// Does what `RunLoopMain` does at the start of a program, for a runtime that lacks the hook.
void installWithoutHook(void);

/// Waits for the end of an async main that nobody ends, as the main thread does.
void waitForEndOfMain(void);
