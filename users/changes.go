package users

import (
	"github.com/dynastay/dynastay/entity/stream"
	"github.com/dynastay/dynastay/keys"
)

// Changes are decoders for the changes of users and what belongs to them. One transaction may change several items,
// each of which has a change of its own; they are handled in any order.
type Changes struct {
	// Users is a profile as [Repository.Get] returns it. [Repository.RecordLogin] changes only LastLoginAt; the other
	// writes raise Version. [Repository.Erase] deletes the profile; nothing else does.
	Users stream.Decoder[User]
	// Loyalty is a loyalty account as [Repository.Loyalty] returns it, with the new balance. Earning, redeeming and
	// reversing points change it together with an entry. Use it for the tier and the balance, and LoyaltyEntries for
	// the reason. [Repository.Erase] deletes it.
	Loyalty stream.Decoder[Loyalty]
	// LoyaltyEntries is one movement as [Repository.LoyaltyEntry] returns it. Earning and redeeming points create an
	// entry; its TierReached says that the user has reached a tier. [Repository.Reverse] sets ReversedAt.
	// [Repository.Erase] deletes all entries.
	LoyaltyEntries stream.Decoder[LoyaltyEntry]
	// Preferences are a user's settings as [Repository.Preferences] returns them. [Repository.UpdatePreferences]
	// creates and changes them, [Repository.Erase] deletes them. Values is never nil.
	Preferences stream.Decoder[Preferences]
	// Wishlists is a wishlist as [Repository.Wishlist] returns it. Creating, updating and deleting it, adding and
	// removing properties, and [Repository.Erase] produce a change. Its table is [keys.MetadataTable], whose schema
	// enables no stream: enable one with the view type NEW_AND_OLD_IMAGES. Package consumer must then store its
	// positions in another table.
	Wishlists stream.Decoder[Wishlist]
	// Erasures is the item that remains of an erased user: it is created once and never changes. The copies of the
	// user's data elsewhere must then be deleted. [Repository.Erase] creates it before it deletes the user's other
	// items, and the changes of different items are handled in any order, so a change of the user's profile may still
	// follow. A handler that keeps copies must remember that the user was erased, or ask [Repository.ErasedAt].
	Erasures stream.Decoder[Erased]
}

// Changes returns decoders for the changes of the repository's entities, see package entity/stream. It sends no
// requests.
func (r *Repository) Changes() Changes {
	return Changes{
		Users:          stream.NewDecoder(r.db, keys.UsersTable, keys.Is[keys.Profile], r.entity.Value),
		Loyalty:        stream.NewDecoder(r.db, keys.UsersTable, keys.Is[keys.Loyalty], loyaltyEntity.Value),
		LoyaltyEntries: stream.NewDecoder(r.db, keys.UsersTable, keys.Is[keys.LoyaltyEntry], entryEntity.Value),
		Preferences:    stream.NewDecoder(r.db, keys.UsersTable, keys.Is[keys.Preference], preferencesEntity.Value),
		Wishlists:      stream.NewDecoder(r.db, keys.MetadataTable, keys.Is[keys.Wishlist], wishlistEntity.Value),
		Erasures:       stream.NewDecoder(r.db, keys.UsersTable, keys.Is[keys.Erased], erasedEntity.Value),
	}
}
