package outbox

import (
	"testing"

	"github.com/dynastay/dynastay/keys/key/keytest"
)

func TestKeys(t *testing.T) {
	keytest.Check(t, keytest.Samples(byID{"msg_1"}))
	keytest.Check(t, keytest.Samples(byAge{1780315200000, "msg_1"}))
	keytest.InOrder(t, byAge{999, "msg_4"}, byAge{1780315200000, "msg_3"}, byAge{1780315200001, "msg_1"}, byAge{1780315200001, "msg_2"})
}
