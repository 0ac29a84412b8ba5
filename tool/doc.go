// Package tool defines what a tool is, data and a function, and the registry
// that checks, guards, bounds and runs one.
package tool
