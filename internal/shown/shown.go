// Package shown makes texts fit for a message that ends up in a log.
package shown

import (
	"fmt"
	"strings"
)

// Masked is an id, the text of a key, or the path of a field, which may lead through a map by e-mail address, without the
// addresses that may be parts of it: error texts end up in logs. A part ends at '#'. An address may have a '/' before its
// '@', which is masked along, but none behind it.
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

// Truncated keeps an error message readable, and free of e-mail addresses, whatever was passed.
func Truncated(s string) string {
	const most = 40
	shown := Masked(s)
	if len(shown) <= most {
		return shown
	}
	return fmt.Sprintf("%s… (%d bytes)", shown[:most], len(s))
}

// OneLine joins the lines of a text, which are what errors.Join makes of several errors, and some messages of the SDK have.
func OneLine(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "; ")
}
