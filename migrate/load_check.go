package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
)

// checked is what the check of a file has found.
type checked struct {
	lines   int
	sum     string // of the file
	invalid map[int]error
	count   int
}

// check reads all lines of a file.
func (m *Mover) check(ctx context.Context, l *Load) (checked, error) {
	c := checked{invalid: map[int]error{}}
	file, err := l.Open()
	if err != nil {
		return c, err
	}
	defer file.Close()
	sum := sha256.New()
	read := io.TeeReader(file, sum)
	lines, seen := linesOf(l, read), map[[sha256.Size]byte]int{}
	found := &InvalidLinesError{}
	for {
		one, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return c, err
		}
		c.lines++
		invalid, err := m.checkLine(ctx, l, one, seen)
		if err != nil {
			return c, err
		}
		if invalid == nil {
			continue
		}
		c.invalid[one.number] = invalid
		if found.Count++; len(found.Lines) < mostInvalid {
			found.Lines = append(found.Lines, LineError{one.number, invalid})
		}
	}
	if _, err := io.Copy(io.Discard, read); err != nil { // what a reader of lines has left
		return c, err
	}
	c.count, c.sum = found.Count, hex.EncodeToString(sum.Sum(nil)[:12])
	if found.Count > 0 && !l.SkipInvalid {
		return c, found
	}
	return c, nil
}

// checkLine returns why a line is invalid, or an error that says nothing about it.
func (m *Mover) checkLine(ctx context.Context, l *Load, one line, seen map[[sha256.Size]byte]int) (invalid, err error) {
	// A check does not stop for the budget: it could never be finished.
	if err := m.wait(ctx); err != nil && !errors.Is(err, ErrBudget) {
		return nil, err
	}
	v, err := l.Lines.read(ctx, one)
	var unique []string
	if err == nil {
		unique, err = l.Lines.check(v)
	}
	switch {
	case err != nil && ofTheItem(err):
		return err, nil
	case err != nil:
		return nil, LineError{one.number, err}
	}
	hashes := make([][sha256.Size]byte, len(unique)) // of 40,000 references, they need little memory
	for i, text := range unique {
		hashes[i] = sha256.Sum256([]byte(text))
		if first, twice := seen[hashes[i]]; twice {
			return &sameError{text, first}, nil
		}
	}
	for _, hash := range hashes { // of a line that is loaded
		seen[hash] = one.number
	}
	return nil, nil
}
