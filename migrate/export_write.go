package migrate

import (
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/dynastay/dynastay"
)

func plainItem(item dynastay.Item) map[string]any {
	all := map[string]any{}
	for name, v := range item {
		all[name] = plainValue(v)
	}
	return all
}

func plainValue(v types.AttributeValue) any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return json.Number(v.Value)
	case *types.AttributeValueMemberBOOL:
		return v.Value
	case *types.AttributeValueMemberB:
		return base64.StdEncoding.EncodeToString(v.Value)
	case *types.AttributeValueMemberM:
		return plainItem(v.Value)
	case *types.AttributeValueMemberL:
		return plainList(v.Value, plainValue)
	case *types.AttributeValueMemberSS:
		return v.Value
	case *types.AttributeValueMemberNS:
		return plainList(v.Value, func(n string) any { return json.Number(n) })
	case *types.AttributeValueMemberBS:
		return plainList(v.Value, func(b []byte) any { return base64.StdEncoding.EncodeToString(b) })
	}
	return nil
}

func plainList[V any](all []V, plain func(V) any) []any {
	list := make([]any, len(all))
	for i, v := range all {
		list[i] = plain(v)
	}
	return list
}

// JSONLines returns a function for [Mover.Export] that writes each item as a line of JSON: an object with Table, Index, ReadAt, and
// in Item the attributes. Numbers have all of their digits, binary values are in base64, and sets are lists.
func JSONLines(w io.Writer) func(Exported) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return func(e Exported) error {
		return out.Encode(struct {
			Table  string
			Index  string `json:",omitempty"`
			ReadAt time.Time
			Item   any
		}{e.Table, e.Index, e.ReadAt, plainItem(e.Item)})
	}
}

// WriteCSV writes items as comma-separated values, under a header with the names of all attributes that any of them has:
// Item.Address.City is an attribute of a map. A name that has a dot is in quotes. Lists and empty maps are JSON. Cells are as they
// are stored: a program that takes a text such as =1+1 for a formula must be told not to.
func WriteCSV(w io.Writer, all []Exported) error {
	rows, names := make([]map[string]string, len(all)), map[string]bool{}
	for i, e := range all {
		rows[i] = map[string]string{}
		if err := flatten(rows[i], "Item", plainItem(e.Item)); err != nil {
			return err
		}
		for name := range rows[i] {
			names[name] = true
		}
	}
	columns := slices.Sorted(maps.Keys(names))
	out := csv.NewWriter(w)
	if err := out.Write(append([]string{"Table", "Index", "ReadAt"}, columns...)); err != nil {
		return err
	}
	for i, e := range all {
		cells := []string{e.Table, e.Index, e.ReadAt.Format(time.RFC3339Nano)}
		for _, name := range columns {
			cells = append(cells, rows[i][name])
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func flatten(row map[string]string, path string, item map[string]any) error {
	for name, v := range item {
		if strings.ContainsAny(name, `."`) {
			name = strconv.Quote(name)
		}
		at := path + "." + name
		inner, isMap := v.(map[string]any)
		switch text, isText := v.(string); {
		case isMap && len(inner) > 0:
			if err := flatten(row, at, inner); err != nil {
				return err
			}
		case isText:
			row[at] = text
		case v != nil:
			text, err := json.Marshal(v)
			if err != nil {
				return err
			}
			row[at] = string(text)
		}
	}
	return nil
}
