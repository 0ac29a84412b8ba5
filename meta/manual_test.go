package meta_test

import (
	"errors"
	"fmt"

	"github.com/dsh-go/dsh-workflow/meta"
)

func ExampleRead() {
	s, err := meta.Read("// Reviews.\nexport const meta = { name: 'review', description: 'Reviews a change' };\nreturn agent('go')\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Meta.Name)
	fmt.Println(s.Body[len(s.Body)-len("return agent('go')\n"):])
	// Output:
	// review
	// return agent('go')
}

func ExampleDiagnostics_Report() {
	_, err := meta.Read("export const meta = {\n  name: title(),\n  description: 'Reviews a change',\n}")
	var faults meta.Diagnostics
	if errors.As(err, &faults) {
		fmt.Println(faults.Report())
	}
	// Output:
	// 2:9: meta.name is a call: meta must be a pure literal, nothing in it is evaluated
	//     2 |   name: title(),
	//       |         ^
}
