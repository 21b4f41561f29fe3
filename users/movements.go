package users

import (
	"context"
	"strconv"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/keys"
)

// Loyalty reads the loyalty account of a user, or fails with [dynastay.ErrNotFound] if the user has never earned any
// points. opts may contain [dynastay.Consistent].
//
// Pattern U4: Users, PK = USER#{userId}, SK = LOYALTY, 1 request
func (r *Repository) Loyalty(ctx context.Context, userID string, opts ...dynastay.ReadOption) (*Loyalty, error) {
	at, err := keys.Of(keys.Loyalty{UserID: userID})
	if err != nil {
		return nil, err
	}
	return r.accounts.Get(ctx, at, opts...)
}

// LoyaltyEntries lists the movements of a loyalty account, in the order of their reason ids, which is the order of the
// keys. It is not the order of their times, unless the reason ids are. 1 request per page, a Query.
func (r *Repository) LoyaltyEntries(userID string) dynastay.Listing[*LoyaltyEntry] {
	partition, err := keys.Partition(keys.LoyaltyEntry{UserID: userID})
	if err != nil {
		return dynastay.NoListing[*LoyaltyEntry](err)
	}
	return r.entries.List(dynastay.Query{
		Name: "users.LoyaltyEntries", Partition: partition,
		Range: dynastay.Range{Prefix: keys.SortKind[keys.LoyaltyEntry]()},
	})
}

// EarnOp credits points to a loyalty account. The first movement creates the account; the user does not need to have a
// profile. The movement is recorded as a [LoyaltyEntry] in the same transaction, and only once for each reason: if the
// same movement is repeated, nothing is written, and the result is the entry of the first call, whatever the note. If
// the reason was used with other points, or to redeem points, EarnOp fails with [dynastay.ErrIdempotencyMismatch] and
// Field "Points". So if the outcome is unknown ([dynastay.ErrOutcomeUnknown]), repeat the movement.
//
// The lifetime points never decrease. When a movement takes them to or beyond the points from which a tier begins, see
// [Options.Tiers], the user gets that tier as of then. A higher tier, which other software may have granted, is kept.
// An account without a tier gets the one for its lifetime points.
//
// EarnOp fails with [ErrErased] if there is no account and the user's data was erased.
func (r *Repository) EarnOp(m Movement) *dynastay.Operation[*LoyaltyEntry] {
	return r.moveOp("users.Earn", m, m.Points)
}

// Earn runs [Repository.EarnOp]. 2 requests: a consistent BatchGetItem of the account and the entry, and the
// transaction; 1 if the movement is repeated.
func (r *Repository) Earn(ctx context.Context, m Movement, opts ...dynastay.WriteOption) (*LoyaltyEntry, error) {
	return dynastay.Do(ctx, r.db, r.EarnOp(m), opts...)
}

// RedeemOp debits points from a loyalty account. It fails with a [*PointsError] if the account has fewer points, or
// does not exist. Otherwise it is like [Repository.EarnOp].
func (r *Repository) RedeemOp(m Movement) *dynastay.Operation[*LoyaltyEntry] {
	return r.moveOp("users.Redeem", m, -m.Points)
}

// Redeem runs [Repository.RedeemOp]. 2 requests: a consistent BatchGetItem of the account and the entry, and the
// transaction; 1 if the movement is repeated or refused.
func (r *Repository) Redeem(ctx context.Context, m Movement, opts ...dynastay.WriteOption) (*LoyaltyEntry, error) {
	return dynastay.Do(ctx, r.db, r.RedeemOp(m), opts...)
}

// moveOp moves points. It contends for the account from the start: all movements of a user write it.
func (r *Repository) moveOp(op string, m Movement, points int) *dynastay.Operation[*LoyaltyEntry] {
	at, err := keys.Of(keys.Loyalty{UserID: m.UserID})
	if err == nil {
		err = m.Validate()
	}
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[*LoyaltyEntry]{Name: op, Invalid: err})
	}
	entryAt, err := keys.Of(keys.LoyaltyEntry{UserID: m.UserID, ReasonID: m.ReasonID})
	return dynastay.NewOp(dynastay.OpSpec[*LoyaltyEntry]{
		Name: op, Invalid: err,
		Input: func(in *dynastay.Input) {
			in.Key(entryAt)
			in.Field("points", strconv.Itoa(points))
		},
		Contest: &dynastay.Contest{Items: []dynastay.Ref{dynastay.RefOf(keys.UsersTable, at)}},
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*LoyaltyEntry, error) {
			rows, err := r.db.GetAll(ctx, keys.UsersTable, []dynastay.Key{at, entryAt}, dynastay.Consistent)
			if err != nil {
				return nil, err
			}
			if rows[1].Exists() {
				return repeated(op, m, points, rows[1])
			}
			e := &LoyaltyEntry{UserID: m.UserID, ReasonID: m.ReasonID, Points: points, Note: m.Note, CreatedAt: r.db.Now()}
			if rows[0].Exists() {
				err = r.moveAccount(tx, at, rows[0], e)
			} else {
				err = r.openAccount(tx, op, e)
			}
			if err != nil {
				return nil, err
			}
			item, err := entryEntity.Item(e)
			if err != nil {
				return nil, err
			}
			tx.Put(keys.UsersTable, item).If(absent, overtaken)
			return e, nil
		},
		Restore: func(ctx context.Context, _ map[string]string) (*LoyaltyEntry, error) {
			return r.entries.Get(ctx, entryAt, dynastay.Consistent)
		},
	})
}

// repeated returns the entry of an earlier movement with the same reason, if it is the same movement.
func repeated(op string, m Movement, points int, row dynastay.Row) (*LoyaltyEntry, error) {
	e, err := entryEntity.Value(row)
	if err != nil {
		return nil, err
	}
	if e.Points != points {
		return nil, &dynastay.Error{
			Op: op, Entity: "LoyaltyEntry", ID: m.ReasonID, Field: "Points", Kind: dynastay.ErrIdempotencyMismatch,
		}
	}
	return e, nil
}

// moveAccount changes an account, and sets the balance of the entry. The account's write id is the condition: of two
// movements that read the same account, one is prepared again.
//
// It does not check whether the user was erased, although it creates the entry: Erase deletes the account when nobody
// can create it again, and finds the entries that were created until then.
func (r *Repository) moveAccount(tx *dynastay.Tx, at dynastay.Key, row dynastay.Row, e *LoyaltyEntry) error {
	// With OrMissing, an account that is deleted in the meantime is read again, and found to be missing.
	change, err := changeOf(r.accounts, loyaltyEntity, at, row, func(l *Loyalty) error {
		return l.move(e.Points, r.tiers, e.CreatedAt)
	}, dynastay.OrMissing())
	if err != nil {
		return err
	}
	e.Balance = change.After.Points
	return change.AddTo(tx)
}

// openAccount creates an account, and sets the balance of the entry.
func (r *Repository) openAccount(tx *dynastay.Tx, op string, e *LoyaltyEntry) error {
	l := &Loyalty{UserID: e.UserID}
	if err := l.move(e.Points, r.tiers, e.CreatedAt); err != nil {
		return err
	}
	item, err := loyaltyEntity.Item(l)
	if err != nil {
		return err
	}
	if err := checkNotErased(tx, op, e.UserID); err != nil {
		return err
	}
	tx.Put(keys.UsersTable, item).Identified().If(absent, overtaken)
	e.Balance = l.Points
	return nil
}
