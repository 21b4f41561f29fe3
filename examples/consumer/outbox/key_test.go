package outbox

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/key/keytest"
)

func TestKeys(t *testing.T) {
	keytest.Check(t, keytest.Samples(byID{"msg_1"}))
	keytest.Check(t, keytest.Samples(byAge{1780315200000, "msg_1"}))
	stored, err := key.Of(byAge{1780315200000, "msg_1"})
	require.NoError(t, err)
	assert.Equal(t, dynastay.Key{PK: "PENDING", SK: "1780315200000#msg_1"}, stored)
	keytest.InOrder(t, byAge{999, "msg_4"}, byAge{1780315200000, "msg_3"}, byAge{1780315200001, "msg_1"}, byAge{1780315200001, "msg_2"})
}
