package language

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"github.com/dop251/goja"
	"golang.org/x/text/collate"
	xlanguage "golang.org/x/text/language"
)

//go:embed intl.js
var intlSource string

//go:embed intldate.js
var intlDateSource string

var (
	intlProgram     = sync.OnceValue(func() *goja.Program { return goja.MustCompile(file, intlSource, false) })
	intlDateProgram = sync.OnceValue(func() *goja.Program { return goja.MustCompile(file, intlDateSource, false) })
)

// localizes tells whether a script names anything of Intl.
func localizes(source string) bool {
	return strings.Contains(source, "Intl") || strings.Contains(source, "toLocale") || strings.Contains(source, "localeCompare")
}

// FillLocale puts Intl and the methods that go with it in place, if the script
// names any. It comes after dates are in UTC and expressions are ours.
func (l *Library) FillLocale() error {
	if !localizes(l.host.Source) {
		return nil
	}
	host := l.gapHost()
	l.put(host, "collate", l.rt.ToValue(l.collate))
	made, err := l.run(intlProgram(), host)
	if err != nil {
		return err
	}
	l.define(l.rt.GlobalObject(), "Intl", made.ToObject(l.rt).Get("Intl"), true)
	_, err = l.run(intlDateProgram(), made, l.rt.Get("Date"))
	return err
}

// collate compares two texts: (a, b, locale, numeric, sensitivity, caseFirst,
// ignorePunctuation).
func (l *Library) collate(call goja.FunctionCall) goja.Value {
	a, b := call.Argument(0).String(), call.Argument(1).String()
	c := l.collator(call.Argument(2).String(), call.Argument(3).ToBoolean(), call.Argument(4).String(), call.Argument(6).ToBoolean())
	n := c.CompareString(a, b)
	if sensitivity := call.Argument(4).String(); n == 0 && sensitivity == "case" || call.Argument(5).String() == "upper" {
		if strings.EqualFold(a, b) || sensitivity == "case" {
			n = caseOrder(a, b)
			if call.Argument(5).String() == "upper" {
				n = -n
			}
		}
	}
	return l.rt.ToValue(n)
}

// caseOrder compares what differs in case only: lower comes first.
func caseOrder(a, b string) int {
	ra, rb := []rune(a), []rune(b)
	for i := range min(len(ra), len(rb)) {
		ua, ub := unicode.IsUpper(ra[i]), unicode.IsUpper(rb[i])
		if ua != ub {
			if ub {
				return -1
			}
			return 1
		}
	}
	return 0
}

// collator keeps one for each set of options.
func (l *Library) collator(locale string, numeric bool, sensitivity string, loose bool) *collate.Collator {
	key := locale + " " + sensitivity
	if numeric {
		key += " numeric"
	}
	if c := l.collators[key]; c != nil {
		return c
	}
	tag, err := xlanguage.Parse(locale)
	if err != nil {
		tag = xlanguage.Und
	}
	if base, _ := tag.Base(); base.String() == "en" {
		tag = xlanguage.Und
	}
	var options []collate.Option
	if numeric {
		options = append(options, collate.Numeric)
	}
	switch sensitivity {
	case "base":
		options = append(options, collate.IgnoreCase, collate.IgnoreDiacritics)
	case "accent":
		options = append(options, collate.IgnoreCase)
	case "case":
		options = append(options, collate.IgnoreCase, collate.IgnoreDiacritics)
	}
	if loose {
		options = append(options, collate.Loose)
	}
	if l.collators == nil {
		l.collators = map[string]*collate.Collator{}
	}
	if len(l.collators) > 50 {
		clear(l.collators)
	}
	c := collate.New(tag, options...)
	l.collators[key] = c
	return c
}
