package dynastay

import (
	"fmt"
	"strings"

	"github.com/dynastay/dynastay/internal/shown"
)

// Rating is a guest rating in tenths: 92 is 9.2. Integers keep sums and averages exact. Zero means unrated; a guest's
// rating is between 1.0 and 10.0.
type Rating int

// MaxRating is 10.0.
const MaxRating Rating = 100

// ParseRating parses "9.2", "9" or "10.0". It returns an error for more than one decimal place, and for a rating
// outside 0.0 to 10.0.
func ParseRating(text string) (Rating, error) {
	whole, tenth, point := strings.Cut(text, ".")
	var w, t int
	if whole == "" || len(whole) > 2 || !digits(whole, &w) || point && (len(tenth) != 1 || !digits(tenth, &t)) || w*10+t > int(MaxRating) {
		return 0, Invalid("Rating", "must be between 0.0 and 10.0 with at most 1 decimal place, got %q", shown.Truncated(text))
	}
	return Rating(w*10 + t), nil
}

// Validate returns an error unless r is between 0.0 and 10.0.
func (r Rating) Validate() error {
	if r < 0 || r > MaxRating {
		return Invalid("", "must be between 0.0 and 10.0, got %s", r)
	}
	return nil
}

// String returns the form "9.2".
func (r Rating) String() string {
	sign, whole, tenth := "", int(r)/10, int(r)%10
	if r < 0 {
		sign, whole, tenth = "-", -whole, -tenth
	}
	return fmt.Sprintf("%s%d.%d", sign, whole, tenth)
}

// MarshalJSON returns the number 9.2.
func (r Rating) MarshalJSON() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalJSON reads what MarshalJSON returns, with the limits of [ParseRating]: the tenths of 9.2 are not a rating of 92.
func (r *Rating) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	parsed, err := ParseRating(string(data))
	if err != nil {
		return err
	}
	*r = parsed
	return nil
}
