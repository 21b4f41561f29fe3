package availability_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/dynastay/dynastay/availability"
	"github.com/dynastay/dynastay/internal/testing/blame"
)

func TestCancellationPolicyTerms(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		policy availability.CancellationPolicy
		text   string
		terms  availability.Terms
	}{
		{availability.FreeCancellation(48), "free_cancellation_48h", availability.Terms{Percent: 100, Hours: 48}},
		{availability.FreeCancellation(0), "free_cancellation_0h", availability.Terms{Percent: 100}},
		{availability.PartialRefund(50, 24), "partial_50_24h", availability.Terms{Percent: 50, Hours: 24}},
		{availability.PartialRefund(100, 24), "partial_100_24h", availability.Terms{Percent: 100, Hours: 24}},
		{availability.PartialRefund(0, 0), "partial_0_0h", availability.Terms{}},
		{availability.NonRefundable, "non_refundable", availability.Terms{}},
	} {
		assert.Equal(t, test.text, string(test.policy))
		terms, ok := test.policy.Terms()
		assert.True(t, ok, test.text)
		assert.Equal(t, test.terms, terms, test.text)
		assert.NoError(t, test.policy.Validate(), test.text)
	}
}

// A policy that is neither custom nor in one of the forms of the package is refused: it may be misspelled.
func TestCancellationPolicyValidate(t *testing.T) {
	t.Parallel()
	for _, policy := range []availability.CancellationPolicy{
		"free_cancellation", "free_cancellation_", "free_cancellation_h", "free_cancellation_48", "free_cancellation_48H",
		"free_cancellation_-1h", "free_cancellation_+1h", "free_cancellation_048h", "free_cancellation_4.5h", "free_cancellation_48hh",
		"free_cancellation_48h ", "free_cancellation_99999999999999999999h", "free_cancellation48h", "free_cancellations_48h",
		"Free_Cancellation_48h", " free_cancellation_48h",
		"partial", "partial_50", "partial_50h", "partial_50_", "partial_50_24", "partial_101_24h", "partial_-1_24h",
		"partial_050_24h", "partial_50%_24h", "partial_50_24h_1", "partial__24h", "PARTIAL_50_24H",
		"non_refundable_", "non_refundable_48h", "Non_Refundable",
		"free_cancelation_48h", "nonrefundable", "flexible", "strict_14_days", "refund_partial", " ", "none",
		"custom", "custom_", "Custom_flexible", " custom_flexible", "customs_flexible", availability.CustomPolicy(""),
		availability.FreeCancellation(-1), availability.PartialRefund(-1, 1), availability.PartialRefund(101, 1), availability.PartialRefund(1, -1),
	} {
		terms, ok := policy.Terms()
		assert.False(t, ok, "%q", policy)
		assert.Zero(t, terms, "%q", policy)
		blame.Invalid(t, policy.Validate(), "", string(policy))
	}
	for _, policy := range []availability.CancellationPolicy{
		"", availability.CustomPolicy("flexible"), "custom_strict_14_days", "custom_policy#7", "custom_free_cancelation_48h",
	} {
		terms, ok := policy.Terms()
		assert.False(t, ok, "%q", policy)
		assert.Zero(t, terms, "%q", policy)
		assert.NoError(t, policy.Validate(), "%q", policy)
	}
}

// The error tells the caller which forms are accepted.
func TestCancellationPolicyNamesTheForms(t *testing.T) {
	t.Parallel()
	err := availability.CancellationPolicy("flexible").Validate()
	for _, policy := range []availability.CancellationPolicy{
		availability.NonRefundable, "free_cancellation_{hours}h", "partial_{percent}_{hours}h", availability.CustomPolicy("{name}"),
	} {
		assert.ErrorContains(t, err, string(policy))
	}
}

// A policy that Terms accepts has exactly one spelling: that of the constructors.
func FuzzCancellationPolicy(f *testing.F) {
	for _, seed := range []string{
		"", "non_refundable", "free_cancellation_48h", "partial_50_24h", "partial_0_0h", "partial_100_0h", "free_cancellation_007h",
		"partial_1_2_3h", "custom_1h", "free_cancellation_+1h", "partial_٥_1h", "free_cancellation_9223372036854775808h",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		policy := availability.CancellationPolicy(text)
		terms, ok := policy.Terms()
		if !ok {
			assert.Zero(t, terms)
			_ = policy.Validate()
			return
		}
		assert.NoError(t, policy.Validate())
		assert.True(t, 0 <= terms.Percent && terms.Percent <= 100 && terms.Hours >= 0, "%+v", terms)
		switch {
		case text == string(availability.NonRefundable):
			assert.Zero(t, terms)
		case strings.HasPrefix(text, "free"):
			assert.Equal(t, 100, terms.Percent)
			assert.Equal(t, policy, availability.FreeCancellation(terms.Hours))
		default:
			assert.Equal(t, policy, availability.PartialRefund(terms.Percent, terms.Hours))
		}
	})
}
