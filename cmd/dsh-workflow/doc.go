// Command dsh-workflow runs orchestration scripts. See README.md, or
// dsh-workflow --help.
package main
