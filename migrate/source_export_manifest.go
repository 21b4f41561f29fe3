package migrate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/dynastay/dynastay"
)

const (
	summaryName = "manifest-summary.json"
	filesName   = "manifest-files.json"
)

// summary is what manifest-summary.json says of an export.
type summary struct {
	ExportARN    string `json:"exportArn"`
	TableARN     string `json:"tableArn"`
	ExportType   string `json:"exportType"` // "" in older exports, which are full
	OutputFormat string `json:"outputFormat"`
	ItemCount    int    `json:"itemCount"`
}

// exported returns an export as a source. Nothing of its data files is read.
func (m *Mover) exported(w *Walk) (*exportSource, error) {
	text, err := manifest(w.Export, summaryName)
	if err != nil {
		return nil, err
	}
	var s summary
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, damaged(summaryName, err)
	}
	if err := s.validate(m.DB.TableName(w.Table)); err != nil {
		return nil, err
	}
	src := &exportSource{in: w.Export, arn: s.ExportARN, limit: w.page()}
	src.files, err = dataFiles(w.Export, s.ItemCount)
	return src, err
}

func manifest(in fs.FS, name string) ([]byte, error) {
	text, err := fs.ReadFile(in, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, dynastay.Invalid("Export", "must be the folder of an export, with %s", name)
	}
	return text, err
}

func (s *summary) validate(table string) error {
	_, of, _ := strings.Cut(s.TableARN, ":table/")
	switch {
	case s.ExportType != "" && s.ExportType != "FULL_EXPORT":
		return dynastay.Invalid("Export", "must be a full export, got %s; export the table again as FULL_EXPORT", s.ExportType)
	case s.OutputFormat != "DYNAMODB_JSON":
		return dynastay.Invalid("Export", "must be in DynamoDB JSON, got %s; export the table again as DYNAMODB_JSON", s.OutputFormat)
	case of != table:
		return dynastay.Invalid("Export", "must be of the table %s, got one of %s", table, of)
	case s.ExportARN == "":
		return damaged(summaryName, errors.New("it has no exportArn"))
	}
	return nil
}

// dataFiles returns what manifest-files.json lists: an object for each file, one after another.
func dataFiles(in fs.FS, items int) (all []*dataFile, err error) {
	text, err := manifest(in, filesName)
	if err != nil {
		return nil, err
	}
	lines, found := json.NewDecoder(bytes.NewReader(text)), 0
	for {
		var line struct {
			ItemCount     int    `json:"itemCount"`
			MD5Checksum   string `json:"md5Checksum"`
			DataFileS3Key string `json:"dataFileS3Key"` // with the folder of the export, which may have been copied to another place
		}
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, damaged(filesName, err)
		}
		folder, name := path.Split(line.DataFileS3Key)
		f := &dataFile{name: path.Join(path.Base(folder), name), sum: line.MD5Checksum, items: line.ItemCount}
		if !strings.HasSuffix(f.name, ".json.gz") {
			return nil, dynastay.Invalid("Export", "must have files in DynamoDB JSON, got %s; export the table again as DYNAMODB_JSON", f.name)
		}
		all = append(all, f)
		found += f.items
	}
	switch {
	case found != items:
		return nil, damaged(filesName, fmt.Errorf("its files have %d items, not %d as %s says; copy it again", found, items, summaryName))
	case len(all) == 0 || len(all) > 1000:
		return nil, dynastay.Invalid("Export", "must have 1 to 1,000 data files, got %d", len(all))
	}
	return all, nil
}
