package availability

import (
	"strconv"
	"strings"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
)

// CancellationPolicy states what a cancellation costs, as text such as "free_cancellation_48h". The forms that this
// package defines are parsed by [CancellationPolicy.Terms]; a platform's own policies, made with [CustomPolicy], are
// interpreted by the platform. "" means that no policy was agreed. A policy has at most 256 bytes.
type CancellationPolicy string

// NonRefundable refunds nothing.
const NonRefundable CancellationPolicy = "non_refundable"

// FreeCancellation refunds the whole price until the given number of hours before check-in.
func FreeCancellation(hours int) CancellationPolicy {
	return CancellationPolicy("free_cancellation_" + strconv.Itoa(hours) + "h")
}

// PartialRefund refunds a percentage of the price until the given number of hours before check-in, and nothing later.
func PartialRefund(percent, hours int) CancellationPolicy {
	return CancellationPolicy("partial_" + strconv.Itoa(percent) + "_" + strconv.Itoa(hours) + "h")
}

const custom = "custom_"

// CustomPolicy returns a policy that the platform defines itself: "custom_" followed by name, such as
// "custom_flexible".
func CustomPolicy(name string) CancellationPolicy { return CancellationPolicy(custom + name) }

// Terms are the terms of a policy: Percent percent of the price is refunded until Hours hours before check-in, and
// nothing after that.
type Terms struct{ Percent, Hours int }

// Terms parses a policy in one of the forms of this package; ok is false for any other text.
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

// Validate checks that the policy is empty, has one of the forms of this package, or is a custom policy. This prevents
// a misspelt policy from being noticed only by the guest who relies on it.
func (p CancellationPolicy) Validate() error {
	if err := entity.CheckText(string(p), entity.MaxName); err != nil {
		return err
	}
	_, ok := p.Terms()
	if name, own := strings.CutPrefix(string(p), custom); ok || p == "" || own && name != "" {
		return nil
	}
	return dynastay.Invalid("",
		"must be empty or one of non_refundable, free_cancellation_{hours}h, partial_{percent}_{hours}h, custom_{name}")
}

func readHours(text string) (int, bool) {
	number, ok := strings.CutSuffix(text, "h")
	if !ok {
		return 0, false
	}
	return readNumber(number)
}

// readNumber accepts digits only, without a sign or leading zeros, so that each policy has exactly one spelling.
func readNumber(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= 0 && strconv.Itoa(n) == text
}
