// Package entity is for authors of entities. An entity is a kind of object that a service stores, such as a booking, a
// review or a message. The repositories of this module are built with it.
//
// A [Spec] declares an entity. [New] checks the Spec, and a [Table] reads and writes the entity:
//
//	var reviews = entity.New(entity.Spec[Review]{
//		Name: "Review", Schema: table,
//		ID: "ReviewId", Prefix: "rev_", Created: "CreatedAt", Updated: "UpdatedAt", Version: "Version",
//		Key:   func(r *Review) (dynastay.Key, error) { return key.Of(reviewKey{r.ID}) },
//		Codec: entity.Declare(func(f *entity.Fields, r *Review) {
//			f.String("ReviewId", &r.ID)
//			f.String("Text", &r.Text)
//			…
//		}),
//	})
//
//	table := entity.NewTable(db, reviews)
//	made, err := table.Create(ctx, &Review{Text: "Quiet rooms."})
//
// # What a Table guarantees
//
//   - An update writes the difference between the entity before and after the update's function, on condition that the
//     item has not changed since it was read. Attributes that the entity does not declare are preserved. If two callers
//     change it at the same time, both changes are kept: the call that was overtaken reads the item again, and runs its
//     function again.
//   - Derived data (index keys, copies, the items that follow the entity) is recomputed with every update, so it cannot
//     be stale. It may depend on everything that the entity declares except the counters.
//   - A unique value is guarded by a separate item, in the same transaction: see [Unique].
//   - An update fails, and names the field, if its function changes what the library writes itself: the id, the times,
//     the version, and the attributes in Spec.Kept and Spec.Counters.
//
// # Names
//
// Spec.ID, Created, Updated, Version, Kept, Counters and Unique.Owner are names of attributes, as the codec declares
// them; Derived.Name may be a path, such as Card.Name. Errors name the Go field instead, because that is what the
// caller knows: Guest.FirstName, whatever the attribute is called.
//
// # Keys
//
// Package keys/key writes the text of keys, so that no value can forge another key, and numbers and times sort in
// order. The stored text of an attribute does not have these properties: a time is stored with milliseconds only if
// they are not zero, so text order is not time order.
package entity
