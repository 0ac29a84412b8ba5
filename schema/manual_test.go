package schema_test

import (
	"encoding/json"
	"fmt"

	"github.com/dsh-go/dsh-workflow/schema"
)

const verdict = `{
	"type": "object",
	"properties": {
		"verdict": {"enum": ["pass", "fail"]},
		"findings": {"type": "array", "items": {"type": "string"}}
	},
	"required": ["verdict", "findings"]
}`

func ExampleSchema_Check() {
	s, err := schema.CompileResult(json.RawMessage(verdict))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(schema.Join(s.Check(json.RawMessage(`{"verdict": "maybe"}`))))
	// Output: missing required property "findings"; "verdict" must be one of ["pass","fail"]
}

func ExampleSchema_Repair() {
	s, err := schema.CompileResult(json.RawMessage(verdict))
	if err != nil {
		fmt.Println(err)
		return
	}
	value, repairs, ok := s.Repair(json.RawMessage(`{"result": {"verdict": "pass", "findings": "[\"a\"]"}}`))
	fmt.Println(string(value), repairs, ok)
	// Output: {"verdict": "pass", "findings": ["a"]} 2 true
}

func ExampleCompile() {
	_, err := schema.Compile(json.RawMessage(`{"type": "object", "requierd": ["a"]}`))
	fmt.Println(err)
	// Output: unsupported JSON schema: schema.requierd is not a supported keyword (did you mean "required"?)
}

func ExampleDescribe() {
	fmt.Println(schema.Describe(json.RawMessage(verdict)))
	// Output:
	// {
	//   "verdict": "pass" | "fail"
	//   "findings": [string, …]
	//   … // other keys are allowed
	// }
}
