package migrate

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/md5"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"

	"github.com/dynastay/dynastay"
	"github.com/dynastay/dynastay/internal/itemjson"
)

// exportSource reads the data files of an export to S3, each of which is a segment. A position is the number of lines that are done.
type exportSource struct {
	in    fs.FS
	arn   string
	limit int
	files []*dataFile
}

func (s *exportSource) texts() []string {
	all := make([]string, len(s.files))
	for i, f := range s.files {
		all[i] = "export " + s.arn + " " + f.name
	}
	return all
}

func (s *exportSource) after(from string, done []dynastay.Row) string {
	lines, _ := strconv.Atoi(from) // "" is the beginning
	return strconv.Itoa(lines + len(done))
}

func (s *exportSource) page(_ context.Context, segment int, after string) (rows []dynastay.Row, next string, err error) {
	f := s.files[segment]
	from, _ := strconv.Atoi(after)
	if err := f.seek(s.in, from); err != nil {
		return nil, "", err
	}
	for len(rows) < s.limit && f.read < f.items {
		if err := f.next(); err != nil {
			return nil, "", err
		}
		item, err := itemjson.Line(f.lines.Bytes())
		if err != nil {
			return nil, "", damaged(f.name, LineError{f.read, err})
		}
		rows = append(rows, dynastay.RowOf(item))
	}
	if f.read < f.items {
		return rows, strconv.Itoa(f.read), nil
	}
	return rows, "", f.ended()
}

func (s *exportSource) close(segment int) { s.files[segment].close() }

// mostExported is the size of a line. In DynamoDB JSON, an item of 400 KB has up to 3.6 MB: an empty text in a list counts as 1
// byte, and is {"S":""} with a comma.
const mostExported = 4 << 20

// dataFile is a file of an export. It stays open from page to page, so that going on does not mean reading it from the beginning.
type dataFile struct {
	name  string
	sum   string // the MD5 of the file, in base64
	items int

	file  fs.File
	lines *bufio.Scanner
	read  int // lines
}

// seek goes to the line after some that are done: usually it is there. Another run may have moved the position, to either side.
func (f *dataFile) seek(in fs.FS, done int) error {
	if f.file == nil || f.read > done {
		f.close()
		if err := f.open(in); err != nil {
			return err
		}
	}
	for f.read < done {
		if err := f.next(); err != nil {
			return err
		}
	}
	return nil
}

// open opens the file, after it was read to its end: what its checksum says must be known before its first item is used.
func (f *dataFile) open(in fs.FS) error {
	if err := f.verify(in); err != nil {
		return err
	}
	file, err := in.Open(f.name)
	if err != nil {
		return err
	}
	f.file, f.read = file, 0
	var text io.Reader = file // an empty file, as there may be one of an empty partition of the table
	packed, err := gzip.NewReader(file)
	switch {
	case err == nil:
		text = packed
	case !errors.Is(err, io.EOF):
		return damaged(f.name, err)
	}
	f.lines = bufio.NewScanner(text)
	f.lines.Buffer(nil, mostExported)
	return nil
}

func (f *dataFile) verify(in fs.FS) error {
	file, err := in.Open(f.name)
	if err != nil {
		return err
	}
	defer file.Close()
	sum := md5.New()
	if _, err := io.Copy(sum, file); err != nil {
		return err
	}
	if base64.StdEncoding.EncodeToString(sum.Sum(nil)) != f.sum {
		return damaged(f.name, errors.New("its checksum is not that of the manifest; copy it again"))
	}
	return nil
}

// next goes to the next line, which must be there.
func (f *dataFile) next() error {
	if f.lines.Scan() {
		f.read++
		return nil
	}
	if err := f.lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", f.name, LineError{f.read + 1, err})
	}
	return damaged(f.name, fmt.Errorf("it has %d items, not %d as the manifest says", f.read, f.items))
}

// ended fails if the file goes on after its last item.
func (f *dataFile) ended() error {
	if f.lines.Scan() {
		return damaged(f.name, fmt.Errorf("it has more than %d items, as the manifest says", f.items))
	}
	if err := f.lines.Err(); err != nil {
		return fmt.Errorf("%s: %w", f.name, err)
	}
	return nil
}

func (f *dataFile) close() {
	if f.file != nil {
		_ = f.file.Close() // it was only read
		f.file = nil
	}
}

func damaged(file string, err error) error {
	return &dynastay.Error{Entity: "File", ID: file, Kind: dynastay.ErrCorrupt, Err: err}
}
