package session

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dsh-go/dsh-workflow/internal/plainjson"
	"github.com/dsh-go/dsh-workflow/llm"
)

// filler makes values of any type, so that a field that is added later is tried
// too.
type filler struct {
	r     *rapid.T
	depth int
}

var (
	someTexts = []string{"", "a", "ü\u2028<&>\x00\"\\", "\ufffd", "\xff", "a\xe2\x82", "\ud7ff\U0010ffff"}
	someRaws  = []string{"", "null", "{}", `{"a":[1,2.50,"<\u00e9>"]}`, `{ "a": 1 }`, "[1\n]", `"x"`, "{", "\"\xff\"", " 1"}
)

func (f filler) fill(v reflect.Value) {
	pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(f.r, v.Type().String()) }
	switch at := v.Addr().Interface().(type) {
	case *json.RawMessage:
		if raw := someRaws[pick(4+pick(len(someRaws)-3))]; raw != "" || pick(2) == 0 {
			*at = json.RawMessage(raw)
		}
		return
	case *llm.Block:
		kinds := []any{new(llm.Text), new(llm.Reasoning), new(llm.ToolCall), new(llm.ToolResult), new(llm.Unknown)}
		f.choose(v, kinds, pick)
		return
	case *llm.Chunk:
		kinds := []any{new(llm.TextDelta), new(llm.ReasoningDelta), new(llm.ToolCallDelta), new(llm.UsageReport), new(llm.Finish)}
		f.choose(v, kinds, pick)
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(someTexts[pick(len(someTexts))%(1+pick(4))]) // the good ones
		if pick(30) == 0 {
			v.SetString(someTexts[4+pick(len(someTexts)-4)])
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(pick(3)))
	case reflect.Bool:
		v.SetBool(pick(2) == 0)
	case reflect.Float64:
		v.SetFloat([]float64{0, 0.1, -1e-300, 1e22, 1e21, -2, math.NaN(), math.Inf(1)}[pick(8)])
	case reflect.Pointer:
		if pick(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem())
		}
	case reflect.Slice:
		if n := pick(4); n < 3 {
			v.Set(reflect.MakeSlice(v.Type(), n, 3))
		}
		for i := range v.Len() {
			f.fill(v.Index(i))
		}
	case reflect.Map:
		if n := pick(8); n < 2 {
			v.Set(reflect.ValueOf(make(map[string]json.RawMessage)))
			for i := range n {
				v.SetMapIndex(reflect.ValueOf(fmt.Sprint(i)), reflect.ValueOf(json.RawMessage("1")))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	default:
		f.r.Fatalf("no way to fill a %v", v.Type())
	}
}

// choose fills an interface with one of the kinds, or leaves it nil.
func (f filler) choose(v reflect.Value, kinds []any, pick func(int) int) {
	i := pick(8 * (len(kinds) + 1))
	if i == 0 || f.depth > 2 {
		return
	}
	inner := reflect.ValueOf(kinds[i%len(kinds)]).Elem()
	filler{f.r, f.depth + 1}.fill(inner)
	v.Set(inner)
}

// scribble overwrites everything in place that v refers to.
func scribble(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			v.Elem().SetZero()
		}
	case reflect.Slice:
		for i := range v.Len() {
			scribble(v.Index(i))
			v.Index(i).SetZero()
		}
	case reflect.Map:
		v.Clear()
	case reflect.Interface:
		if !v.IsNil() {
			scribble(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			scribble(v.Field(i))
		}
	}
}

// A copy is what the JSON reads as, and nothing that the caller does later to
// what it has handed over changes it.
func TestCopiesAreWhatTheJSONReads(t *testing.T) {
	for _, example := range one() {
		taken, checked := 0, 0
		rapid.Check(t, func(r *rapid.T) {
			v := reflect.New(reflect.TypeOf(example)).Elem()
			filler{r: r}.fill(v)
			checked++
			if checkCopy(r, v) {
				taken++
			}
		})
		if _, opaque := example.(Opaque); !opaque && taken < checked/10 {
			t.Errorf("%d of %d %T were copied", taken, checked, example)
		}
	}
}

func checkCopy(r *rapid.T, v reflect.Value) (taken bool) {
	d := v.Interface().(Data)
	own, ok := copied(d)
	if !ok {
		return false
	}
	raw, err := encodeData(d)
	if err != nil {
		r.Fatalf("%+v: %v", d, err)
	}
	want, err := decodeData(tagOf(d), raw)
	if err != nil {
		r.Fatalf("%s: %v", raw, err)
	}
	if !reflect.DeepEqual(want, own) {
		r.Fatal(cmp.Diff(want, own))
	}
	scribble(v)
	if !reflect.DeepEqual(want, own) {
		r.Fatalf("the copy shares memory: %s", cmp.Diff(want, own))
	}
	return true
}

// Headers are equal when their JSON is.
func TestEqualHeadersHaveEqualJSON(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var a, b EpochHeader
		filler{r: r}.fill(reflect.ValueOf(&a).Elem())
		filler{r: r}.fill(reflect.ValueOf(&b).Elem())
		if d, ok := copied(RequestHeader{Header: a}); ok && rapid.Bool().Draw(r, "same") {
			b = d.(RequestHeader).Header
		}
		textA, errA := plainjson.Marshal(a.canonical())
		textB, errB := plainjson.Marshal(b.canonical())
		same := errA == nil && errB == nil && string(textA) == string(textB)
		if a.Equal(b) != same {
			r.Fatalf("%v for\n%s\n%s", !same, textA, textB)
		}
	})
}

// A history that was handed out stays as it is, also where its reader appends
// to it, while the log grows and is replaced.
func TestHistoriesStayAsTheyWere(t *testing.T) {
	l := open(t)
	say := func(text string) llm.Message {
		return llm.Message{
			ID: text, Role: llm.RoleUser, Content: []llm.Block{llm.Text{Text: text}}, Source: llm.Source{Kind: llm.SourceUser},
		}
	}
	var readers sync.WaitGroup
	defer readers.Wait()
	for i := range 300 {
		seq, err := l.Append(UserMessage{Message: say(fmt.Sprint("m", i))})
		if err != nil {
			t.Fatal(err)
		}
		history := l.History()
		want := make([]string, len(history))
		for j, m := range history {
			want[j] = m.ID
		}
		readers.Go(func() {
			longer := append(history, say("mine"))
			for j, id := range want {
				if history[j].ID != id || longer[j].Content[0] != (llm.Text{Text: id}) {
					t.Errorf("message %d was %s and is %s", j, id, history[j].ID)
				}
			}
			if longer[len(want)].ID != "mine" || len(l.History()) == 0 {
				t.Error("an append went astray")
			}
		})
		if i%7 == 6 {
			nodes := l.Surface()
			from := nodes[len(nodes)-3].Seq
			if _, err := l.Replace(UserMessage{Message: say(fmt.Sprint("r", i))}, Range{from, seq}, from, nodes[len(nodes)-2].Seq, seq); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A chunk is written as the wire type says, without going by it.
func TestChunksHaveTheFormOfTheirWire(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var d AssistantChunk
		filler{r: r}.fill(reflect.ValueOf(&d).Elem())
		got, err := encodeData(d)
		chunk, wrong := llm.MarshalChunk(d.Chunk)
		if (err != nil) != (wrong != nil) {
			r.Fatalf("%v and %v", err, wrong)
		}
		if err != nil {
			return
		}
		want, err := plainjson.Marshal(wireAssistantChunk{Turn: d.Turn, Step: d.Step, Chunk: chunk})
		if err != nil || string(want) != string(got) {
			r.Fatalf("%s is not %s, %v", got, want, err)
		}
	})
}
