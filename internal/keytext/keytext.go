// Package keytext writes single values as the text that stands in keys, and reads them back.
//
// No text that it writes contains '#', which separates the parts of a key: a value can therefore never end its own
// part and forge the next one. Numbers and instants have a fixed width, so that their text sorts as they do.
//
// The readers undo the writers and are no stricter than that needs. A caller that must not accept a second spelling of
// a value writes what it has read and compares.
package keytext
