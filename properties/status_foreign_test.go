package properties_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A room type that other software added after the property was adopted is suspended and approved like the others.
func TestSuspendARoomTypeOfOtherSoftware(t *testing.T) {
	t.Parallel()
	s := openSeller(t, 1, 2)
	s.addTheirs("theirs")
	offer := s.mustQuote("theirs")
	require.NoError(t, second(s.repo.Suspend(t.Context(), s.id)))
	s.assertOffSale(offer)
	require.NoError(t, second(s.repo.Approve(t.Context(), s.id)))
	_, err := s.book(offer)
	require.NoError(t, err)
}
