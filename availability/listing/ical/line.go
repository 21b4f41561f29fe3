package ical

import (
	"slices"
	"strings"

	ics "github.com/arran4/golang-ical"
)

// property is a line of a component.
type property struct {
	value string
	zones []string // the names in TZID
}

// text returns one line of text.
func (p *property) text() string { return oneLine(ics.FromText(p.value)) }

// parse returns the name of a line in upper case, and its property, nil if the line is malformed. It reads the line
// once. The parser of golang-ical copies the rest of the line for each parameter, and looks for the name anywhere.
func parse(line string) (string, *property) {
	end := strings.IndexFunc(line, func(r rune) bool { return !isNameRune(r) })
	if end < 0 {
		return strings.ToUpper(line), nil
	}
	name, rest := strings.ToUpper(line[:end]), line[end:]
	colon := unquoted(rest, ':')
	if isTime(name) {
		// Some exporters do not quote the name of a zone such as (UTC+01:00) Amsterdam.
		colon = strings.LastIndexByte(rest, ':')
	}
	if colon < 0 || colon > 0 && rest[0] != ';' {
		return name, nil
	}
	return name, &property{value: rest[colon+1:], zones: zonesIn(rest[:colon])}
}

func isNameRune(r rune) bool {
	return r == '-' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
}

func isTime(name string) bool {
	return slices.Contains([]string{"DTSTART", "DTEND", "RECURRENCE-ID"}, name)
}

// unquoted returns the position of a byte that is not between quotation marks, or -1.
func unquoted(text string, b byte) int {
	quoted := false
	for i := range len(text) {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case text[i] == b && !quoted:
			return i
		}
	}
	return -1
}

// zonesIn returns the values of TZID in parameters such as ;VALUE=DATE-TIME;TZID=Europe/Rome.
func zonesIn(params string) (names []string) {
	for params != "" {
		params = params[1:] // the semicolon
		end := unquoted(params, ';')
		if end < 0 {
			end = len(params)
		}
		key, value, _ := strings.Cut(params[:end], "=")
		if strings.EqualFold(key, "TZID") {
			names = append(names, zoneName(value))
		}
		params = params[end:]
	}
	return names
}

// zoneName returns a name as it is in the parameters of a time or in a VTIMEZONE.
func zoneName(text string) string { return oneLine(ics.FromText(strings.Trim(text, `"`))) }
