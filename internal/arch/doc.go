// Package arch holds no code: its tests read the source of the whole module and
// fail on an import that the map of rooms does not list, and on code that is
// larger than the house rules allow.
package arch
