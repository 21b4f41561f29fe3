// Package shown prepares texts for error messages that may end up in logs.
package shown

import (
	"fmt"
	"strings"
)

// Masked returns an id, the text of a key, or the path of a field without the e-mail addresses in it, because error
// texts end up in logs. (The path of a field may contain an address if it leads through a map with addresses as keys.)
// A part ends at '#'. An address may contain a '/' before its '@', which is masked too, but not after it.
func Masked(id string) string {
	if !strings.Contains(id, "@") {
		return id
	}
	parts := strings.Split(id, "#")
	for i, part := range parts {
		if at := strings.LastIndexByte(part, '@'); at >= 0 {
			_, sort, more := strings.Cut(part[at:], "/")
			if parts[i] = "***"; more {
				parts[i] += "/" + sort
			}
		}
	}
	return strings.Join(parts, "#")
}

// Truncated shortens s and masks e-mail addresses in it, to keep an error message readable whatever was passed.
func Truncated(s string) string {
	const most = 40
	shown := Masked(s)
	if len(shown) <= most {
		return shown
	}
	return fmt.Sprintf("%s… (%d bytes)", shown[:most], len(s))
}

// OneLine joins the lines of a text. errors.Join separates errors by line breaks, and some messages of the SDK contain
// them.
func OneLine(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}
