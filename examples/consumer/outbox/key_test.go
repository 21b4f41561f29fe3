package outbox_test

import (
	"testing"
	"time"

	"github.com/dynastay/dynastay/keys/key/keytest"

	"example.com/frontdesk/outbox"
)

func TestKeys(t *testing.T) {
	keytest.Check(t, keytest.Samples(outbox.ByID{ID: "msg_1"}))
	keytest.Check(t, keytest.Samples(outbox.Pending{Millis: noon.UnixMilli(), ID: "msg_1"}))
	keytest.InOrder(t,
		outbox.Pending{Millis: noon.Add(-time.Hour).UnixMilli(), ID: "msg_4"},
		outbox.Pending{Millis: noon.UnixMilli(), ID: "msg_3"},
		outbox.Pending{Millis: noon.Add(time.Millisecond).UnixMilli(), ID: "msg_1"},
		outbox.Pending{Millis: noon.Add(time.Millisecond).UnixMilli(), ID: "msg_2"},
	)
}
