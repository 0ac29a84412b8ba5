package lint

import "slices"

// Severity says what becomes of a finding.
type Severity string

// Severities.
const (
	Off   Severity = "off"
	Warn  Severity = "warn"
	Error Severity = "error"
)

// RuleID names a rule. It never changes its meaning.
type RuleID string

// Rule is one thing that is looked for.
type Rule struct {
	ID RuleID
	// Severity is that of its findings, unless a finding knows better or the user
	// said otherwise.
	Severity Severity
	Summary  string // one line
}

// Rules lists all rules in the order of their ids.
func Rules() []Rule {
	all := slices.Concat(refusals(), promises(), answers(), control(), manners())
	slices.SortFunc(all, func(a, b Rule) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return all
}

// refusals are about what the runtime refuses when it comes to the line.
func refusals() []Rule {
	return []Rule{
		{"unknown-option", Warn, "an option that agent() does not have"},
		{"option-value", Error, "a value that an option of agent() cannot have"},
		{"prompt-type", Error, "a prompt that is not a text"},
		{"parallel-thunks", Error, "parallel() is given promises or values instead of functions"},
		{"pipeline-stages", Error, "pipeline() is given something else than a list and functions"},
		{"item-cap", Error, "a list that is longer than one call takes"},
		{"nondeterministic", Error, "the clock or chance, which throw in a workflow"},
		{"undefined-name", Error, "a name that neither the script nor the runtime has"},
		{"const-assign", Error, "an assignment to a constant"},
		{"use-before-declaration", Error, "a name that is used before its declaration has run"},
		{"unserializable-result", Error, "a returned value that is not JSON data"},
		{"budget-member", Warn, "a member of budget that is not there, or a call without parentheses"},
	}
}

// promises are about calls that nobody waits for.
func promises() []Rule {
	return []Rule{
		{"floating-promise", Warn, "a call of a hook that nobody waits for"},
		{"promise-as-value", Warn, "a promise where its value was meant"},
		{"async-foreach", Warn, "agents in a forEach(), which waits for nothing"},
		{"unawaited-list", Warn, "a list of promises that nobody waits for"},
	}
}

// answers are about what agents give.
func answers() []Rule {
	return []Rule{
		{"unchecked-result", Warn, "an agent's answer is used without a test for null"},
		{"unchecked-slots", Warn, "the slots of parallel() or pipeline() are used without a test for null"},
		{"null-in-text", Warn, "an answer that may be null goes into a text"},
		{"object-in-text", Warn, "an object goes into a text as [object Object]"},
		{"json-without-schema", Warn, "a prompt asks for JSON and no schema holds the agent to it"},
		{"json-parse-result", Warn, "JSON.parse() of what an agent said"},
		{"unknown-field", Warn, "a field that the schema of the answer does not have"},
		{"settled-field", Warn, "a field that agent.settled() does not give"},
		{"dropped-result", Warn, "an answer with a schema is thrown away"},
	}
}

// control is about the way through the script.
func control() []Rule {
	return []Rule{
		{"sequential-loop", Warn, "agents one after another that could work at once"},
		{"endless-loop", Warn, "a loop of agents without a way out"},
		{"endless-budget-loop", Warn, "a loop on the budget that has no end without a target"},
		{"unstable-order", Warn, "a prompt that depends on which agent ended first"},
		{"unreachable-code", Warn, "statements that are never reached"},
		{"missing-return", Warn, "a function whose value is used gives none"},
		{"no-result", Warn, "a script that runs agents and returns nothing"},
		{"empty-list", Warn, "parallel() or pipeline() of an empty list"},
	}
}

// manners are about what is legal and misleads.
func manners() []Rule {
	return []Rule{
		{"undeclared-phase", Warn, "a phase that meta.phases does not declare"},
		{"unused-phase", Warn, "a declared phase that nothing enters"},
		{"duplicate-phase", Warn, "a phase that is declared twice"},
		{"args-parse", Warn, "JSON.parse(args) of args that may be parsed already"},
		{"shadowed-hook", Error, "a call of a name that hides a hook"},
		{UnusedSuppression, Warn, "a suppression that suppresses nothing"},
	}
}

// UnusedSuppression is the rule about comments of this package.
const UnusedSuppression RuleID = "unused-suppression"
