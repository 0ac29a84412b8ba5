package vm

// PreludeVersion names the behaviour of the realm: its prelude, and what the
// host adds to the language. It changes when an old script could see it, so that
// a record tells under which one it was made.
const PreludeVersion = "1"
