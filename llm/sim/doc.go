// Package sim is a deterministic language model that needs no network: what
// `--model sim` names. It is for trying a workflow, for planning one and for
// tests; whatever it says on its own account says that it is simulated.
//
// # Scripts
//
// A user message that holds a line such as
//
//	@@mock [{"tool":"write","args":{"file_path":"a.txt","content":"hi"}}, {"text":"written"}]
//
// scripts the conversation from there on: the first assistant turn after that
// message plays the first [Step], the second turn the second one, and so on;
// after the last step the model says "done". The newest message with a script
// wins. `@@sim` is another spelling of the marker. A step that is a plain string
// says that text, and {{fromRequest:REGEXP}} in a string stands for the last match
// in the request. [Step] is the vocabulary and [FindPlan] reads scripts; package
// llmtest plays the same ones over HTTP.
//
// Without a script, a request that offers a structured-output tool is answered
// with a call of it whose arguments are valid for its schema; any other request
// gets one line that quotes the beginning of the prompt.
//
// # What is simulated
//
// Usage counts four characters as a token. A prefix cache remembers requests in
// blocks of 256 characters. Latency, pace and faults are set in [Config]; faults
// are drawn from the content of a request and the number of times that it was
// tried, so that no outcome depends on the order in which requests arrive. The
// same request always gets the same answer.
package sim
