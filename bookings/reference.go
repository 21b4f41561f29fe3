package bookings

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
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

// ourForm matches a reference in the form of this package, without spaces and hyphens, also with O for 0, and I or L
// for 1. Other software may have stored references with these letters.
var ourForm = regexp.MustCompile(`^BKG([0-9OIL]{4})([0-9A-TV-Z]{6})$`)

var mistaken = strings.NewReplacer("O", "0", "I", "1", "L", "1")

// spellings returns the references that a text may mean, the first one first: at most two. One is the reference of this
// package that a guest has most likely read. The other is the text as it is, because other software may have stored
// references of any form. It comes first if a guest may have read it as well, in the same form with O, I or L: it must
// not find another guest's booking.
func spellings(text string) []string {
	exact := strings.TrimSpace(text)
	packed := strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || unicode.In(c, unicode.Dash) {
			return -1
		}
		return c
	}, strings.ToUpper(exact))
	match := ourForm.FindStringSubmatch(packed)
	if match == nil {
		return []string{exact}
	}
	spelled := "BKG-" + match[1] + "-" + match[2]
	switch likely := mistaken.Replace(spelled); exact {
	case likely:
		return []string{exact}
	case spelled:
		return []string{exact, likely}
	default:
		return []string{likely, exact}
	}
}
