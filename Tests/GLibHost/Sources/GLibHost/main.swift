// The main run loop in a GLib main loop. Prints one event a line, which `.ci/check-hosts` compares.

test()
