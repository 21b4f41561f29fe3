package keytext

import (
	"errors"
	"time"
)

// instant has whole seconds: with optional fractions, as in RFC 3339, text order would not be time order.
const instant = "2006-01-02T15:04:05Z"

// Instant returns t in UTC, truncated to seconds. The zero time is an error.
func Instant(t time.Time) (string, error) {
	t = t.UTC().Truncate(time.Second)
	switch {
	case t.IsZero():
		return "", errors.New("is required")
	case t.Year() < 1 || t.Year() > 9999:
		return "", errors.New("must be in a year between 1 and 9999")
	}
	return t.Format(instant), nil
}

// ParseInstant parses the text of [Instant].
func ParseInstant(text string) (time.Time, error) {
	t, err := time.Parse(instant, text)
	if err != nil {
		return time.Time{}, errors.New("must be a time in the form YYYY-MM-DDThh:mm:ssZ")
	}
	return t, nil
}
