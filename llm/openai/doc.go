// Package openai is an [llm.Model] that speaks the OpenAI chat-completions
// protocol over HTTP. What differs between servers is data: a [Profile].
//
// # Where go-openai ends
//
// github.com/sashabaranov/go-openai is the client: it builds the URL and the
// headers of a request, sends it, and decodes the chunks of the answer. Below
// it lies an http.RoundTripper of our own, an exchange, one per request:
//
//   - It replaces the body by what [Encode] makes of the request, because the
//     library cannot express every field and encodes maps and empty texts in
//     ways that break prefix caches and servers. Equal requests have equal
//     bytes, and a message that has been sent keeps its bytes as the
//     conversation grows.
//   - It reads the event stream itself, repairs what real servers send
//     (framing, tool calls, field names), asks for evidence that the answer is
//     complete, and hands on a clean stream in the one dialect that the
//     library decodes without a loss. The library alone fails at long
//     keep-alives, empty data lines and bare error objects, and takes a cut
//     connection for a normal end.
//   - It keeps what has no place in that dialect beside the stream: the usage
//     counters with their faults, the headers and the class of a failure.
//
// So the library's types never decide what an answer means, and could be
// replaced without a change to the rest of this package.
//
// # Histories
//
// Some servers refuse a whole conversation for one odd message, so Encode makes
// every history valid and leaves the messages themselves alone. Results stand
// directly behind the message that asked for them, in the order of its calls
// (also when a user's text came in between: that text follows). A call without
// a result gets one that says so, a result without a call and a second result
// are left out. Ids that are empty or used before get a new name that depends
// on earlier messages only. Arguments that are blank become {}, arguments that
// are not one JSON object become {"unparsed_arguments": "<the text>"}.
package openai
