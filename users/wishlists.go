package users

import (
	"context"
	"errors"
	"slices"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/entity"
	"github.com/dynastay/dynastay/keys"
)

// CreateWishlistOp creates a wishlist of a user, with or without properties. An empty ID is generated, and the times
// and the version are set. It fails with [dynastay.ErrAlreadyExists] if the user has a wishlist with the ID, and with
// [ErrErased]. The user does not need to have a profile, and neither the user's existence nor that of the properties is
// checked.
func (r *Repository) CreateWishlistOp(w Wishlist) *dynastay.Operation[*Wishlist] {
	const op = "wishlists.Create"
	made, err := r.wishlists.Creation(&w)
	if err == nil {
		err = w.validateProperties()
	}
	return dynastay.NewOp(dynastay.OpSpec[*Wishlist]{
		Name: op, Invalid: err, Input: made.Input,
		Prepare: func(_ context.Context, tx *dynastay.Tx) (*Wishlist, error) {
			// A generated id is not enough: it is that of the wishlist, not of the user.
			if err := checkNotErased(tx, op, w.UserID); err != nil {
				return nil, err
			}
			err := made.AddTo(tx)
			created := *made.Value // so that changes to the result do not affect the next preparation
			created.PropertyIDs = slices.Clone(created.PropertyIDs)
			return &created, err
		},
		Restore: func(ctx context.Context, ids map[string]string) (*Wishlist, error) {
			return r.restoreWishlist(ctx, *made.Value, ids["WishlistId"])
		},
	})
}

// restoreWishlist returns what an earlier call created, or what it was given if that has been deleted since.
func (r *Repository) restoreWishlist(ctx context.Context, given Wishlist, id string) (*Wishlist, error) {
	found, err := r.Wishlist(ctx, given.UserID, id, dynastay.Consistent)
	if errors.Is(err, dynastay.ErrNotFound) {
		given.ID = id
		return &given, nil
	}
	return found, err
}

// CreateWishlist runs [Repository.CreateWishlistOp]. 1 request.
func (r *Repository) CreateWishlist(ctx context.Context, w Wishlist, opts ...dynastay.WriteOption) (*Wishlist, error) {
	return dynastay.Do(ctx, r.db, r.CreateWishlistOp(w), opts...)
}

// Wishlist reads a wishlist, private or not, or fails with [dynastay.ErrNotFound]. opts may contain
// [dynastay.Consistent]. 1 request, a GetItem.
func (r *Repository) Wishlist(ctx context.Context, userID, wishlistID string, opts ...dynastay.ReadOption) (*Wishlist, error) {
	at, err := wishlistKey(userID, wishlistID)
	if err != nil {
		return nil, err
	}
	return r.wishlists.Get(ctx, at, opts...)
}

// PublicWishlist is like [Repository.Wishlist], for other people than the user: a private wishlist is not found.
func (r *Repository) PublicWishlist(
	ctx context.Context, userID, wishlistID string, opts ...dynastay.ReadOption,
) (_ *Wishlist, err error) {
	ctx, end := r.db.Begin(ctx, "users.PublicWishlist")
	defer func() { end(err) }()
	w, err := r.Wishlist(ctx, userID, wishlistID, opts...)
	if err == nil && !w.Public {
		return nil, &dynastay.Error{Entity: "Wishlist", ID: wishlistID, Kind: dynastay.ErrNotFound}
	}
	return w, err
}

// Wishlists lists the wishlists of a user, private or not, ordered by id. Generated ids are in the order of creation.
//
// Pattern U3: Metadata, PK = USER#{userId}, SK begins with WISHLIST#, 1 request
func (r *Repository) Wishlists(userID string) dynastay.List[*Wishlist] {
	return r.listWishlists("wishlists.ByUser", userID)
}

// PublicWishlists is like [Repository.Wishlists], for other people than the user: it leaves out private wishlists. They
// are read nevertheless, and filtered out. 1 request per page, a Query; more if it takes several to fill the page.
func (r *Repository) PublicWishlists(userID string) dynastay.List[*Wishlist] {
	return r.listWishlists("wishlists.PublicByUser", userID).Filter(func(w *Wishlist) bool { return w.Public })
}

func (r *Repository) listWishlists(name, userID string) dynastay.List[*Wishlist] {
	partition, err := keys.Partition(keys.Wishlist{UserID: userID})
	if err != nil {
		return dynastay.NoList[*Wishlist](err)
	}
	return r.wishlists.List(dynastay.Query{
		Name: name, Partition: partition, Range: dynastay.Range{Prefix: keys.SortKind[keys.Wishlist]()},
	})
}

// UpdateWishlistOp passes the stored wishlist to fn, which may change Name and Public, and writes the difference. The
// properties are changed by [Repository.AddToWishlistOp] and [Repository.RemoveFromWishlistOp]. If fn changes nothing,
// nothing is written. fn may be called more than once; its errors are returned unchanged. UpdateWishlistOp fails with
// [dynastay.ErrNotFound], and with [dynastay.ErrVersion] if the wishlist is not at the version of [dynastay.IfVersion].
func (r *Repository) UpdateWishlistOp(
	userID, wishlistID string, fn func(*Wishlist) error, opts ...dynastay.UpdateOption,
) *dynastay.Operation[*Wishlist] {
	at, err := wishlistKey(userID, wishlistID)
	if err == nil {
		err = wishlistEntity.CheckUpdate(opts...)
	}
	return r.wishlistOp("wishlists.Update", at, err, entity.InputOf(at, opts...), opts, nil,
		func(ctx context.Context) (*entity.Change[Wishlist], error) {
			return read(ctx, r.db, r.wishlists, wishlistEntity, at, fn, opts...)
		})
}

// UpdateWishlist runs [Repository.UpdateWishlistOp]. 2 requests: a consistent GetItem, and the write.
func (r *Repository) UpdateWishlist(
	ctx context.Context, userID, wishlistID string, fn func(*Wishlist) error, opts ...dynastay.UpdateOption,
) (*Wishlist, error) {
	return dynastay.Do(ctx, r.db, r.UpdateWishlistOp(userID, wishlistID, fn, opts...))
}

// AddToWishlistOp adds a property at the end of a wishlist. If the wishlist has the property already, nothing is
// written. It fails with [dynastay.ErrNotFound], and with a [*dynastay.InvalidError] for PropertyIDs if the wishlist
// has [MaxWishlist] properties. The existence of the property is not checked.
func (r *Repository) AddToWishlistOp(userID, wishlistID, propertyID string) *dynastay.Operation[*Wishlist] {
	return r.propertiesOp("wishlists.Add", userID, wishlistID, propertyID, checkPropertyID("PropertyID", propertyID), func(ids []string) ([]string, error) {
		switch {
		case slices.Contains(ids, propertyID):
			return ids, nil
		case len(ids) >= MaxWishlist:
			return nil, tooManyProperties()
		}
		return append(slices.Clone(ids), propertyID), nil
	})
}

// AddToWishlist runs [Repository.AddToWishlistOp]. 2 requests: a consistent GetItem, and the write; 1 if the wishlist
// has the property already.
func (r *Repository) AddToWishlist(
	ctx context.Context, userID, wishlistID, propertyID string, opts ...dynastay.WriteOption,
) (*Wishlist, error) {
	return dynastay.Do(ctx, r.db, r.AddToWishlistOp(userID, wishlistID, propertyID), opts...)
}

// RemoveFromWishlistOp removes a property from a wishlist, everywhere if other software has stored it more than once,
// and even if its id is not valid. If the wishlist does not have the property, nothing is written. It fails with
// [dynastay.ErrNotFound].
func (r *Repository) RemoveFromWishlistOp(userID, wishlistID, propertyID string) *dynastay.Operation[*Wishlist] {
	return r.propertiesOp("wishlists.Remove", userID, wishlistID, propertyID, nil, func(ids []string) ([]string, error) {
		return slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return id == propertyID }), nil
	})
}

// RemoveFromWishlist runs [Repository.RemoveFromWishlistOp]. 2 requests: a consistent GetItem, and the write; 1 if the
// wishlist does not have the property.
func (r *Repository) RemoveFromWishlist(
	ctx context.Context, userID, wishlistID, propertyID string, opts ...dynastay.WriteOption,
) (*Wishlist, error) {
	return dynastay.Do(ctx, r.db, r.RemoveFromWishlistOp(userID, wishlistID, propertyID), opts...)
}

// DeleteWishlistOp deletes a wishlist. It fails with [dynastay.ErrNotFound], unless [dynastay.OrMissing] is given, and
// with [dynastay.ErrVersion] if the wishlist is not at the version of [dynastay.IfVersion]. If its response is lost,
// the error may be [dynastay.ErrOutcomeUnknown].
func (r *Repository) DeleteWishlistOp(userID, wishlistID string, opts ...dynastay.UpdateOption) *dynastay.Operation[struct{}] {
	at, err := wishlistKey(userID, wishlistID)
	if err != nil {
		return dynastay.NewOp(dynastay.OpSpec[struct{}]{Name: "wishlists.Delete", Invalid: err})
	}
	return r.wishlists.DeleteOp(at, opts...)
}

// DeleteWishlist runs [Repository.DeleteWishlistOp]. 1 request.
func (r *Repository) DeleteWishlist(ctx context.Context, userID, wishlistID string, opts ...dynastay.UpdateOption) error {
	_, err := dynastay.Do(ctx, r.db, r.DeleteWishlistOp(userID, wishlistID, opts...))
	return err
}

// propertiesOp changes the properties of a wishlist. It contends for the wishlist from the start: all additions and
// removals write it.
func (r *Repository) propertiesOp(
	op, userID, wishlistID, propertyID string, invalid error, fn func([]string) ([]string, error),
) *dynastay.Operation[*Wishlist] {
	at, err := wishlistKey(userID, wishlistID)
	if err == nil {
		err = invalid
	}
	input := func(in *dynastay.Input) {
		in.Key(at)
		in.Field("property", propertyID)
	}
	contest := &dynastay.Contest{Items: []dynastay.Ref{dynastay.RefOf(keys.MetadataTable, at)}}
	return r.wishlistOp(op, at, err, input, nil, contest, func(ctx context.Context) (*entity.Change[Wishlist], error) {
		change, err := read(ctx, r.db, r.wishlists, wishlistEntity, at, func(*Wishlist) error { return nil })
		if err != nil {
			return nil, err
		}
		ids, err := fn(change.Before.PropertyIDs)
		if err != nil || slices.Equal(ids, change.Before.PropertyIDs) {
			return change, err
		}
		change.Touch() // it is an edit
		return change, change.Keep(func(w *Wishlist) error {
			w.PropertyIDs = ids
			return nil
		})
	})
}

// wishlistOp writes a change of a wishlist.
//
// It does not check whether the user was erased: it writes only if the wishlist exists, and Erase deletes the wishlists
// when nobody can create any.
func (r *Repository) wishlistOp(
	op string, at dynastay.Key, invalid error, input func(*dynastay.Input), opts []dynastay.UpdateOption, contest *dynastay.Contest,
	prepare func(context.Context) (*entity.Change[Wishlist], error),
) *dynastay.Operation[*Wishlist] {
	return dynastay.NewOp(dynastay.OpSpec[*Wishlist]{
		Name: op, Invalid: invalid, Input: input, Options: opts, Contest: contest,
		Prepare: func(ctx context.Context, tx *dynastay.Tx) (*Wishlist, error) {
			change, err := prepare(ctx)
			if err != nil {
				return nil, err
			}
			return change.After, change.AddTo(tx)
		},
		Restore: func(ctx context.Context, _ map[string]string) (*Wishlist, error) {
			return r.wishlists.Get(ctx, at, dynastay.Consistent)
		},
	})
}

func wishlistKey(userID, wishlistID string) (dynastay.Key, error) {
	return keys.Of(keys.Wishlist{UserID: userID, WishlistID: wishlistID})
}
