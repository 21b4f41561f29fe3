// Package people manages the users of the marketplace: buyers, who post projects and order products; workers, who bid
// for projects; and sellers. They are three shapes of one [Profile].
//
//	M1  Profile  a user by id
//	M2  InCity   the users with a role in a city
//
// Other reads and searches: Profiles for many ids, BySubject, ByEmail and ByPhone for signing in, WithAnySkill and
// WithAllSkills for workers in a city, Near for users within a radius, with skills or without.
//
// # Searching
//
// A search by city reads the city as it is spelled in the profiles. Skills are found however they are typed: see
// key.Fold. A worker has at most [MaxSkills] skills; each is an item of its own, which follows the profile.
//
// # Profiles of other software
//
// What other software writes in the form of the marketplace document can be read, and is found by city and role. Its
// first update, or [Repository.Adopt], writes what the document does not have: the guards, the items of the skills and
// the keys of the searches by place.
//
// # Counters
//
// The counters of a profile are exact: they move in the transaction of what they count, with [Repository.Count].
//
//   - Projects counts what a buyer has posted.
//   - Jobs counts the projects that a worker has completed, and Ended those as well that the worker has left.
//     CompletionRate is Jobs / Ended, rounded to hundredths; jobs that are still running are no failures.
//   - Orders counts what a seller has delivered. It moves with the delivery and not with the order, so that the buyers
//     of a popular seller do not wait for each other.
//   - TrustScore is the mean of all ratings, of 1 to 5 stars, rounded half up to tenths.
//
// If other software has stored a trust score without the sum of its ratings, the next rating counts the reviews. A
// rating also counts them if the sum cannot be right any more, because other software has written reviews without
// counting them; [Repository.RecountRatings] does not wait for that. If other software has stored a completion rate
// without the jobs that ended, they are estimated from it.
package people
