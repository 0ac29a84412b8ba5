package subagent

import "fmt"

// DefaultMaxDepth is the depth that providers allow when they are told nothing:
// an agent may start a child, that one another, and that one a last one.
const DefaultMaxDepth = 3

// maxSafeInteger is the largest depth that a reader in any language holds exactly.
const maxSafeInteger = 1<<53 - 1

// ChildDepth is the depth of the child that l describes: 1 for a child of a
// top-level run. The error has the code [CodeInvalidStart].
func ChildDepth(l Lineage) (int, error) {
	if l.Depth < 0 {
		return 0, &Error{Kind: CodeInvalidStart, Message: fmt.Sprintf("subagent depth must be a non-negative integer, not %d", l.Depth)}
	}
	if l.Depth >= maxSafeInteger {
		return 0, &Error{Kind: CodeInvalidStart, Message: "subagent child depth exceeds the safe-integer range"}
	}
	return l.Depth + 1, nil
}

// CheckDepth returns the depth of the child that l describes, or an error with
// the code [CodeMaxDepth] if it is greater than limit. A limit of 0 allows no
// child at all.
func CheckDepth(l Lineage, limit int) (int, error) {
	depth, err := ChildDepth(l)
	if err != nil {
		return 0, err
	}
	if depth > limit {
		return 0, &Error{Kind: CodeMaxDepth, Message: fmt.Sprintf("subagent depth %d exceeds maxDepth %d", depth, limit)}
	}
	return depth, nil
}
