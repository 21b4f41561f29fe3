// Package reviews stores what guests say about their stays, what the properties respond, and which reviews other guests
// find helpful, and keeps the ratings of properties exact.
//
// If a method answers an access pattern of the design document, the last line of its comment names the pattern, the
// index that it reads and the number of requests.
//
// [Repository.Get] reads a review with its response in one request. Lists contain reviews without their responses;
// [Repository.WithResponses] adds them, with one more request for each page.
//
// # The life of a review
//
//   - [Repository.Create] makes a pending review.
//   - [Repository.Approve]: pending or rejected to approved; the rating is counted.
//   - [Repository.Reject]: pending or approved to rejected; the rating is withdrawn if it was counted.
//   - [Repository.Update]: any to pending; the rating is withdrawn if it was counted.
//   - [Repository.Delete] deletes a review of any status; the rating is withdrawn if it was counted.
//
// Only the user of a booking can review it, once, and only after the stay. Create checks that in its transaction, so
// every review that it creates is verified. Approve and Reject require the version of the review that the moderator has
// read; nobody approves a text that its author has just replaced.
//
// The rating of a property is made up of the overall ratings of its approved reviews. Each step that changes it writes
// the review and the property in one transaction: the number and the exact sum of the ratings, their average, and every
// index key and the card that contain it. In one process, steps for one property queue, so that an approval takes three
// requests however many there are. [Repository.RepairRating] counts the reviews of a property that other software has
// rated.
//
// # Responses and votes
//
// The property gives at most one [Response] to an approved review, and can change it at any time. Each user has one
// vote for a review, with [Repository.Vote]; HelpfulCount counts them.
//
// The package does not check who calls it: whether a caller may moderate, respond for a property, or change a review is
// up to the service.
package reviews
