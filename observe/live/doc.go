// Package live draws a run on a terminal while it runs. [Frame] is the picture, a
// pure function of a view; [Screen] keeps the view and draws it at most ten times
// a second.
//
// Nothing that a script or a model wrote can steer the terminal or make a line
// wider than it. A terminal that takes no output stops the picture and nothing
// else: what is told to a screen never waits for it.
package live
