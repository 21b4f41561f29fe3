package bookings

import (
	"fmt"
	"regexp"
	"strings"
)

// crockford is an alphabet without letters that are mistaken for digits, or for each other, on the telephone.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

func (r *Repository) newReference() string {
	var drawn [6]byte
	r.db.Random(drawn[:])
	for i, b := range drawn {
		drawn[i] = crockford[b%32]
	}
	return fmt.Sprintf("BKG-%d-%s", r.db.Now().Year(), drawn[:])
}

// ourReference matches a reference without spaces and hyphens, as guests type it: with O for 0, and I or L for 1.
var ourReference = regexp.MustCompile(`^BKG([0-9OIL]{4})([0-9A-TV-Z]{6})$`)

var mistaken = strings.NewReplacer("O", "0", "I", "1", "L", "1")

// spellings returns the references that a text may mean: that of this package which the guest has most likely read, and
// the text as it is, because other software may have stored references of any form.
func spellings(text string) []string {
	exact := strings.TrimSpace(text)
	packed := strings.Map(func(c rune) rune {
		switch c {
		case ' ', '\t', '\u00a0', '-', '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2212':
			return -1
		}
		return c
	}, strings.ToUpper(exact))
	match := ourReference.FindStringSubmatch(packed)
	if match == nil {
		return []string{exact}
	}
	likely := "BKG-" + mistaken.Replace(match[1]) + "-" + mistaken.Replace(match[2])
	if likely == exact {
		return []string{exact}
	}
	return []string{likely, exact}
}
