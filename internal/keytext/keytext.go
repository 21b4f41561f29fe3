// Package keytext converts single values to the text that keys contain, and back.
//
// No text that it writes contains '#', which separates the parts of a key, so a value can never end its own part and
// forge the next one. Numbers and times have a fixed width, so that their text sorts by value.
//
// The parsers accept what the writers produce, but may accept more. A caller that must not accept a different spelling
// of a value writes the parsed value again and compares.
package keytext
