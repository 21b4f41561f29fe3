// Package dynastay is the vocabulary of a library of typed repositories on Amazon DynamoDB.
package dynastay
