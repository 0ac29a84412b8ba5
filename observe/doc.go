// Package observe folds the records of a run into a view of it and shows the
// view as plain text or as JSON lines. Observers read the records with a cursor;
// they are never in the path of a run, and a slow one slows nothing.
package observe
