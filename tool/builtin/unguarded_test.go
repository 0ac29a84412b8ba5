//go:build unix

package builtin

import "testing"

// proves: A214
func TestWithoutTheGuard(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{Unguarded: true})
	a.put("f", "one two\n")
	edit := args{"file_path": "f", "old_string": "one", "new_string": "1"}
	a.want("edit", edit, "The file f has been updated successfully.")
	a.has("f", "1 two\n")
	a.put("f", "one again\n")
	a.want("edit", edit, "The file f has been updated successfully.")
	a.want("write", args{"file_path": "f", "content": "new\n"}, shown("f", "Updated file"))
	a.put("f", "theirs\n")
	a.want("write", args{"file_path": "f", "content": "mine\n"}, shown("f", "Updated file"))
	a.has("f", "mine\n")
	a.want("write", args{"file_path": "g", "content": ""}, shown("g", "Created file"))
	gone := args{"file_path": "gone", "old_string": "one", "new_string": "1"}
	a.want("edit", gone, `Error: "gone" has changed since it was read — re-read the file, then retry`, StaleVersion)
	a.do("read", args{"file_path": "gone"})
	a.want("edit", gone, `Error: "gone" has changed since it was read — re-read the file, then retry`, StaleVersion)
	a.want("edit", args{"file_path": "f", "old_string": "absent", "new_string": "1"}, `Error: old_string was not found in "f"`, EditNotFound)
	a.want("write", args{"file_path": "../out", "content": ""}, `Error: cannot write "`+a.path("../out")+`": `+a.path("../out")+` is outside the root `+a.call.Root, SandboxDenied)
}

// Who has no session creates files and changes none.
func TestNobodyHasSeenNothing(t *testing.T) {
	a := newAgent(t, t.TempDir(), Options{})
	a.call.Session = ""
	a.put("f", "one\n")
	a.do("read", args{"file_path": "f"})
	a.want("write", args{"file_path": "f", "content": "new"}, unreadText, NotObserved)
	a.want("edit", args{"file_path": "f", "old_string": "one", "new_string": "1"}, `Error: edit requires reading "f" first — read the file, then retry`, NotObserved)
	a.want("write", args{"file_path": "g", "content": "x"}, shown("g", "Created file"))
	a.want("write", args{"file_path": "g", "content": "y"}, `Error: write requires reading "g" first — read the file, then retry`, NotObserved)
}
