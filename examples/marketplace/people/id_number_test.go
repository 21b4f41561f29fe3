package people_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay/examples/marketplace/people"
)

func TestHashIDNumber(t *testing.T) {
	t.Parallel()
	sum, err := people.HashIDNumber([]byte("secret"), "800101 5009 087")
	require.NoError(t, err)
	assert.Equal(t, "c6719ddc4cbccb3ff6e2911fbb36c772eb9f393c820c469837410bad711afb3d", sum)
	again, err := people.HashIDNumber([]byte("secret"), "8001015009087")
	require.NoError(t, err)
	assert.Equal(t, sum, again, "however it is typed")
	other, err := people.HashIDNumber([]byte("other"), "8001015009087")
	require.NoError(t, err)
	assert.NotEqual(t, sum, other)
	_, err = people.HashIDNumber(nil, "1")
	assert.Equal(t, "Secret", fieldOf(err))
	_, err = people.HashIDNumber([]byte("secret"), " -")
	assert.Equal(t, "IDNumber", fieldOf(err))
	n := newTown(t)
	p := worker("w")
	p.Work.IDNumber = sum
	assert.Equal(t, sum, n.signUp(p).Work.IDNumber)
}
