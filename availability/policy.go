package availability

import (
	"strconv"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// CancellationPolicy says what a cancellation costs, as text such as "free_cancellation_48h". The forms of this package
// can be read with [CancellationPolicy.Terms]; a platform reads its own, made by [CustomPolicy], itself. "" means that
// nothing was agreed. It has at most 256 bytes.
type CancellationPolicy string

// NonRefundable keeps the whole price.
const NonRefundable CancellationPolicy = "non_refundable"

// FreeCancellation gives everything back until the given number of hours before check-in.
func FreeCancellation(hours int) CancellationPolicy {
	return CancellationPolicy("free_cancellation_" + strconv.Itoa(hours) + "h")
}

// PartialRefund gives the percentage back until the given number of hours before check-in, and nothing later.
func PartialRefund(percent, hours int) CancellationPolicy {
	return CancellationPolicy("partial_" + strconv.Itoa(percent) + "_" + strconv.Itoa(hours) + "h")
}

const custom = "custom_"

// CustomPolicy is a policy of the platform's own, such as "custom_flexible".
func CustomPolicy(name string) CancellationPolicy { return CancellationPolicy(custom + name) }

// Terms are what a policy says: Percent of the price comes back until Hours before check-in, nothing later.
type Terms struct{ Percent, Hours int }

// Terms reads a policy of this package; ok is false for any other text.
func (p CancellationPolicy) Terms() (terms Terms, ok bool) {
	text := string(p)
	switch {
	case p == NonRefundable:
		return Terms{}, true
	case strings.HasPrefix(text, "free_cancellation_"):
		hours, ok := readHours(strings.TrimPrefix(text, "free_cancellation_"))
		if !ok {
			return Terms{}, false
		}
		return Terms{100, hours}, true
	case strings.HasPrefix(text, "partial_"):
		percent, rest, _ := strings.Cut(strings.TrimPrefix(text, "partial_"), "_")
		n, ok := readNumber(percent)
		hours, okHours := readHours(rest)
		if !ok || !okHours || n > 100 {
			return Terms{}, false
		}
		return Terms{n, hours}, true
	}
	return Terms{}, false
}

// Validate refuses what is neither empty, nor of a form of this package, nor a custom policy: a misspelt free
// cancellation would otherwise be found out by the guest who relies on it.
func (p CancellationPolicy) Validate() error {
	if err := entity.CheckText(string(p), entity.MaxName); err != nil {
		return err
	}
	_, ok := p.Terms()
	if name, own := strings.CutPrefix(string(p), custom); ok || p == "" || own && name != "" {
		return nil
	}
	return dynastay.Invalid("",
		"must be empty, non_refundable, free_cancellation_{hours}h, partial_{percent}_{hours}h, or custom_{name}")
}

func readHours(text string) (int, bool) {
	number, ok := strings.CutSuffix(text, "h")
	if !ok {
		return 0, false
	}
	return readNumber(number)
}

// readNumber takes digits only, without a sign or leading zeros, so that a policy has one spelling.
func readNumber(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == text
}
