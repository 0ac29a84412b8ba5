package worktree

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Ready tells with an error whether branches can be merged into the checkout: it
// must have no changes of its own and no merge under way. Untracked files do not
// count.
func (r *Repository) Ready(ctx context.Context) error {
	out, err := r.git.run(ctx, r.top, "status", "--porcelain", "--untracked-files=no")
	if err != nil {
		return err
	}
	if out != "" {
		n := strings.Count(out, "\n") + 1
		return &Error{Kind: Unclean, Message: fmt.Sprintf("%s has %d changed files: commit or stash them first", r.top, n)}
	}
	merging, err := r.git.tells(ctx, r.top, "rev-parse", "--verify", "--quiet", "MERGE_HEAD")
	if err == nil && merging {
		return &Error{Kind: Unclean, Message: fmt.Sprintf("a merge is under way in %s: finish or abort it first", r.top)}
	}
	return err
}

// Merge merges a branch into what is checked out, as a commit of its own with the
// message. Where both sides changed the same lines nothing is changed, and the
// names of the files are returned.
func (r *Repository) Merge(ctx context.Context, branch, message string) (conflicts []string, err error) {
	_, err = r.git.plain(ctx, r.top, "merge", "--no-ff", "--quiet", "--message", message, "--", branch)
	if err == nil {
		return nil, nil
	}
	undo := context.WithoutCancel(ctx)
	merging, look := r.git.tells(undo, r.top, "rev-parse", "--verify", "--quiet", "MERGE_HEAD")
	if look != nil || !merging {
		return nil, errors.Join(err, look)
	}
	names, look := r.git.run(undo, r.top, "diff", "--name-only", "--diff-filter=U", "-z")
	_, abort := r.git.run(undo, r.top, "merge", "--abort")
	if names == "" || look != nil || abort != nil || ctx.Err() != nil {
		return nil, errors.Join(err, look, abort)
	}
	return strings.FieldsFunc(names, func(c rune) bool { return c == 0 }), nil
}

// Diff is what the agent changed, as a patch, or as a list of files with counts.
func (r *Repository) Diff(ctx context.Context, base, head string, stat bool) (string, error) {
	args := []string{"diff", "--no-color", "--no-ext-diff"}
	if stat {
		args = append(args, "--stat")
	}
	out, err := r.git.run(ctx, r.top, append(args, "--end-of-options", base+".."+head, "--")...)
	if err != nil || out == "" {
		return "", err
	}
	return out + "\n", nil
}
