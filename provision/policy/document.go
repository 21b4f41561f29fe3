package policy

import (
	"slices"
	"strings"
)

// Document is an IAM policy: its JSON is what IAM takes.
type Document struct {
	Version   string
	Statement []Statement
}

// Statement allows each of its actions on each of its resources, which may contain wildcards.
type Statement struct {
	Effect    string
	Action    []string
	Resource  []string
	Condition map[string]map[string][]string `json:",omitempty"` // values by operator and condition key
}

const (
	version     = "2012-10-17" // of the language of policies
	forAllEqual = "ForAllValues:StringEquals"
	isNull      = "Null"
	leadingKeys = "dynamodb:LeadingKeys"
)

// Request is one action of a request, as IAM sees it.
type Request struct {
	Action      string   // "dynamodb:GetItem"
	Resource    string   // the ARN of the table, the index or the stream; "*" for none
	LeadingKeys []string // the partition keys that it names
}

// Allows reports whether the document allows a request. It knows what documents of this package have, and no other
// part of IAM: a statement with another effect or condition, or with a wildcard in an action, allows nothing.
func (d *Document) Allows(r Request) bool {
	return slices.ContainsFunc(d.Statement, func(s Statement) bool {
		return s.Effect == "Allow" && slices.Contains(s.Action, r.Action) &&
			slices.ContainsFunc(s.Resource, func(pattern string) bool { return matches(pattern, r.Resource) }) &&
			s.holds(r)
	})
}

// holds reports whether the conditions of the statement hold.
func (s Statement) holds(r Request) bool {
	for operator, keys := range s.Condition {
		for key, values := range keys {
			switch {
			case key != leadingKeys:
				return false
			case operator == isNull && slices.Equal(values, []string{"false"}):
				if len(r.LeadingKeys) == 0 {
					return false
				}
			case operator == forAllEqual:
				if slices.ContainsFunc(r.LeadingKeys, func(k string) bool { return !slices.Contains(values, k) }) {
					return false
				}
			default:
				return false
			}
		}
	}
	return true
}

// matches reports whether a resource matches a pattern, in which * stands for any text and ? for one character.
func matches(pattern, resource string) bool {
	star, from := -1, 0 // the last *, and where the text begins that it does not stand for
	p := 0
	for r := 0; r < len(resource); {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, r
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == resource[r]):
			p, r = p+1, r+1
		case star >= 0: // it stands for one more
			from++
			p, r = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
