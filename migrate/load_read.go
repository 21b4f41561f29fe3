package migrate

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dynastay/dynastay"
)

// line is a line of a file, as JSON.
type line struct {
	number  int
	text    []byte
	invalid error
}

// reader reads the lines of a file.
type reader interface{ next() (line, error) }

type lines struct{ reader }

func linesOf(l *Load, file io.Reader) lines {
	in := bufio.NewReader(file)
	if mark, err := in.Peek(3); err == nil && string(mark) == "\ufeff" { // which some programs write
		_, _ = in.Discard(3)
	}
	if l.CSV {
		table := csv.NewReader(in)
		table.FieldsPerRecord, table.ReuseRecord = -1, true
		return lines{&csvReader{table: table, of: reflect.TypeOf(l.Lines.blank()).Elem()}}
	}
	return lines{&jsonReader{in: in}}
}

// page reads up to n lines, and reports whether they are the last ones.
func (l lines) page(n int) (all []line, ended bool, err error) {
	for range n {
		one, err := l.next()
		if errors.Is(err, io.EOF) {
			return all, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		all = append(all, one)
	}
	return all, false, nil
}

// mostLine is the size of a line. No item is larger than 400 KB.
const mostLine = 1 << 20

var (
	errLongLine = dynastay.Invalid("", "must be at most 1 MB")
	errNotUTF8  = dynastay.Invalid("", "must be UTF-8")
)

// jsonReader reads JSON Lines. Empty lines are left out.
type jsonReader struct {
	in     *bufio.Reader
	number int
}

func (r *jsonReader) next() (line, error) {
	for {
		r.number++
		text, err := r.read()
		if err != nil && (!errors.Is(err, io.EOF) || len(text) == 0) {
			return line{}, err
		}
		if len(text) > mostLine {
			return line{number: r.number, invalid: errLongLine}, nil
		}
		if text = bytes.TrimSpace(text); len(text) == 0 {
			continue
		}
		if !utf8.Valid(text) {
			return line{number: r.number, invalid: errNotUTF8}, nil
		}
		return line{number: r.number, text: text}, nil
	}
}

func (r *jsonReader) read() (text []byte, err error) {
	for {
		part, err := r.in.ReadSlice('\n')
		if len(text) <= mostLine { // the rest of a longer line is left out
			text = append(text, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, err
		}
	}
}

// csvReader reads comma-separated values, whose header has the names of fields, such as Stay.CheckIn and Rooms[0].Agreed.
type csvReader struct {
	table *csv.Reader
	of    reflect.Type
	names []string
	paths [][]step
	types []reflect.Type
}

// wrongQuote stops a load: the lines up to the next quote cannot be told apart, and would be lost.
func wrongQuote(number int) error {
	return LineError{number, dynastay.Invalid("", "has a quote that does not end where it should, so it cannot be told from the lines after it")}
}

func (r *csvReader) next() (line, error) {
	if r.paths == nil {
		if err := r.header(); err != nil {
			return line{}, err
		}
	}
	cells, err := r.table.Read()
	if parse := (*csv.ParseError)(nil); errors.As(err, &parse) {
		if parse.Line > parse.StartLine {
			return line{}, wrongQuote(parse.StartLine)
		}
		return line{number: parse.StartLine, invalid: dynastay.Invalid("", "%s", parse.Err)}, nil
	}
	if err != nil {
		return line{}, err
	}
	number, _ := r.table.FieldPos(0)
	if len(cells) != len(r.paths) {
		if slices.ContainsFunc(cells, func(cell string) bool { return strings.Contains(cell, "\n") }) {
			return line{}, wrongQuote(number)
		}
		return line{number: number, invalid: dynastay.Invalid("", "must have %d fields, as the header, got %d", len(r.paths), len(cells))}, nil
	}
	var whole any
	for i, cell := range cells {
		if cell == "" {
			continue
		}
		if !utf8.ValidString(cell) {
			return line{number: number, invalid: dynastay.Within(r.names[i], errNotUTF8)}, nil
		}
		value, err := cellOf(r.types[i], cell)
		if err != nil {
			return line{number: number, invalid: dynastay.Within(r.names[i], err)}, nil
		}
		whole = put(whole, r.paths[i], value)
	}
	if whole == nil {
		whole = map[string]any{}
	}
	if at, missing := hole("", whole); missing {
		return line{number: number, invalid: dynastay.Invalid(at, "is missing, but a later one is not")}, nil
	}
	text, err := json.Marshal(whole)
	return line{number: number, text: text}, err
}

func (r *csvReader) header() error {
	names, err := r.table.Read()
	if errors.Is(err, io.EOF) {
		return LineError{1, dynastay.Invalid("", "there is no header")}
	}
	if err != nil {
		return err
	}
	r.names, r.paths = slices.Clone(names), [][]step{}
	for i, name := range r.names {
		path, of, err := pathOf(r.of, name)
		if name == "" {
			err = dynastay.Invalid("", "column %d has no name", i+1)
		}
		for _, earlier := range r.paths {
			if n := min(len(earlier), len(path)); err == nil && slices.Equal(earlier[:n], path[:n]) {
				err = dynastay.Invalid(name, "is also said by another column")
			}
		}
		if err != nil {
			return LineError{1, err}
		}
		r.paths, r.types = append(r.paths, path), append(r.types, of)
	}
	return nil
}

// put enters a value under a path of maps and lists.
func put(whole any, path []step, value any) any {
	if len(path) == 0 {
		return value
	}
	at := path[0]
	if at.index < 0 {
		inner, _ := whole.(map[string]any)
		if inner == nil {
			inner = map[string]any{}
		}
		inner[at.name] = put(inner[at.name], path[1:], value)
		return inner
	}
	list, _ := whole.([]any)
	for len(list) <= at.index {
		list = append(list, nil)
	}
	list[at.index] = put(list[at.index], path[1:], value)
	return list
}

// hole returns the first entry of a list that is missing before another one.
func hole(path string, v any) (at string, missing bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if at, missing := hole(strings.TrimPrefix(path+"."+name, "."), v[name]); missing {
				return at, true
			}
		}
	case []any:
		for i, one := range v {
			at := fmt.Sprintf("%s[%d]", path, i)
			if one == nil {
				return at, true
			}
			if at, missing := hole(at, one); missing {
				return at, true
			}
		}
	}
	return "", false
}

// sameError means that another line of the file has the same id.
type sameError struct {
	what  string
	first int
}

func (e *sameError) Error() string { return fmt.Sprintf("%s is that of line %d", e.what, e.first) }

func (*sameError) Is(target error) bool { return target == dynastay.ErrInvalid }
