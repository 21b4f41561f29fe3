package venue

import (
	"cmp"
	"context"
	"time"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys/key"
	"github.com/dynastay/dynastay/keys/venuekeys"
)

// Notification is a message to a user.
type Notification struct {
	UserID    string
	ID        string
	BookingID string    // what it is about; optional
	Title     string    // at most entity.MaxNote bytes
	Text      string    // at most entity.MaxNote bytes; optional
	CreatedAt time.Time `json:",omitzero"`
	ReadAt    time.Time `json:",omitzero"` // the zero time while the user has not read it
	WriteID   dynastay.WriteID
}

func newNotifications() *entity.Entity[Notification] {
	return entity.New(entity.Spec[Notification]{
		Name: "Notification", Operations: "venue.Notification", Schema: venuekeys.Table, ID: "notificationId", Prefix: "ntf_",
		Created: "createdAt", Kept: []string{"readAt"}, Validate: (*Notification).validate,
		Key: func(n *Notification) (dynastay.Key, error) {
			return key.Of(venuekeys.Notification{UserID: n.UserID, CreatedAt: n.CreatedAt, NotificationID: n.ID})
		},
		Codec: entity.Declare(func(f *entity.Fields, n *Notification) {
			f.Const("entityType", "Notification")
			f.String("notificationId", &n.ID)
			f.String("userId", &n.UserID)
			f.String(attrBookingID, &n.BookingID)
			f.String("title", &n.Title)
			f.String("text", &n.Text)
			f.Time("createdAt", &n.CreatedAt)
			f.Time("readAt", &n.ReadAt)
			f.WriteID(venuekeys.AttrWriteID, &n.WriteID)
		}),
	})
}

func (n *Notification) validate() error {
	if n.Title == "" {
		return dynastay.Invalid("Title", "is required")
	}
	if n.BookingID != "" {
		if err := checkID("BookingID", n.BookingID); err != nil {
			return err
		}
	}
	return cmp.Or(checkTitle(n.Title), checkText("Text", n.Text))
}

// NotifyOp writes a message to a user. Pass it to [dynastay.DB.Write] together with the operation that it is about: the
// user is then notified if, and only if, that is written. An empty ID is generated; CreatedAt is set. Whether the user
// exists is not checked. It fails with [dynastay.ErrInvalid].
func (r *Repository) NotifyOp(n Notification) *dynastay.Operation[*Notification] {
	n.ReadAt = time.Time{}
	return r.notifications.CreateOp(&n)
}

// Notify runs [Repository.NotifyOp]. 1 request.
func (r *Repository) Notify(ctx context.Context, n Notification, opts ...dynastay.WriteOption) (*Notification, error) {
	return dynastay.Do(ctx, r.db, r.NotifyOp(n), opts...)
}

// NotificationsOf lists the messages to a user, newest first, and those of the same second by id.
//
// Pattern V9: VenueBooking, PK = USER#{userId}, SK begins with NOTIFICATION#, 1 request
func (r *Repository) NotificationsOf(userID string) dynastay.List[*Notification] {
	partition, err := key.Partition(venuekeys.Notification{UserID: userID})
	if err != nil {
		return dynastay.NoList[*Notification](err)
	}
	return r.notifications.List(dynastay.Query{
		Name: "venue.NotificationsOf", Partition: partition, Descending: true,
		Range: dynastay.Range{Prefix: key.SortKind[venuekeys.Notification]()},
	})
}

// MarkReadOp records that a user has read a message: UserID, CreatedAt and ID say which. If it was read before, nothing
// is written. It fails with [dynastay.ErrNotFound].
func (r *Repository) MarkReadOp(n Notification) *dynastay.Operation[*Notification] {
	at, err := key.Of(venuekeys.Notification{UserID: n.UserID, CreatedAt: n.CreatedAt, NotificationID: n.ID})
	return dynastay.NewOp(dynastay.OpSpec[*Notification]{
		Name: "venue.MarkRead", Invalid: err, Input: func(in *dynastay.Input) { in.Key(at) },
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Notification, error) {
			c, err := r.notifications.Change(ctx, at, func(*Notification) error { return nil })
			if err != nil || !c.Before.ReadAt.IsZero() {
				return readOf(c), err
			}
			err = c.Keep(func(n *Notification) error {
				n.ReadAt = r.db.Now()
				return nil
			})
			if err != nil {
				return nil, err
			}
			return c.After, c.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Notification, error) {
			read, err := r.notifications.Get(ctx, at, dynastay.Consistent)
			if err == nil {
				read.WriteID = ""
			}
			return read, err
		},
	})
}

// MarkRead runs [Repository.MarkReadOp]. 2 requests: a consistent read and the write; 1 if it was read before.
func (r *Repository) MarkRead(ctx context.Context, n Notification, opts ...dynastay.WriteOption) (*Notification, error) {
	return dynastay.Do(ctx, r.db, r.MarkReadOp(n), opts...)
}

func readOf(c *entity.Change[Notification]) *Notification {
	if c == nil {
		return nil
	}
	return c.After
}
