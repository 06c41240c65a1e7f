// The answers of the API. Written by tools/explorer_types.py from its schema: do not edit.

interface About {
  title: string;
  signature: string;
  citation: string;
  method: string | null;
  dimensions: number;
  words: number;
  counted: boolean;
  axis: string;
  times: string[];
  places: string[];
  default_time: string | null;
  conditions: Condition[];
  available: Record<string, boolean>;
  missing: Record<string, string>;
  static: boolean;
  precomputed: Record<string, number>;
  exactness: string;
  sample: number | null;
  version: string;
}

interface Answer<Row = Record<string, any>> {
  rows: Row[];
  title: string;
  notes: string[];
  facts: Record<string, any>;
  signature: string;
}

interface AnalogyRow {
  rank: number;
  word: string;
  similarity: number | null;
  count: number;
  fallback: boolean;
}

interface AxisRow {
  word: string;
  condition: string;
  count: number;
  position: number | null;
  corrected: number | null;
  low: number | null;
  high: number | null;
  plus_seeds: number;
  minus_seeds: number;
}

interface ChangepointsRow {
  word: string;
  place: string | null;
  before: string;
  after: string;
  shift: number | null;
  p: number | null;
  p_words: number | null;
  accepted: boolean;
  joined: string[];
  left: string[];
}

interface CollocateChangesRow {
  word: string;
  collocate: string;
  direction: string;
  count_before: number;
  count_after: number;
  per_thousand_before: number | null;
  per_thousand_after: number | null;
  log_ratio: number | null;
  log_likelihood: number | null;
}

interface CollocatesRow {
  word: string;
  condition: string | null;
  collocate: string;
  count: number;
  documents: number;
  expected: number | null;
  pmi: number | null;
  log_likelihood: number | null;
}

interface Column {
  name: string;
  type: "str" | "int" | "float" | "bool" | "list[str]";
  meaning: string;
}

interface Condition {
  label: string;
  time: number | null;
  place: number | null;
  words: number;
  tokens: number;
}

interface ContextsRow {
  word: string;
  context: string;
  pull: number | null;
  elsewhere: number | null;
  share: number | null;
}

interface DriftRow {
  word: string;
  change: number | null;
  z: number | null;
  own: number | null;
  before: string;
  after: string;
  count_before: number;
  count_after: number;
  documents: number | null;
  neighbors_before: string[];
  neighbors_after: string[];
  corrected: number | null;
  noise: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
  q: number | null;
  draw_stability: number | null;
  seed_stability: number | null;
  seed_spread: number | null;
}

interface EquivalentsRow {
  word: string;
  at: string;
  condition: string;
  rank: number | null;
  equivalent: string | null;
  similarity: number | null;
  score: number | null;
  count: number | null;
  needed: number | null;
  match: boolean;
  fallback: boolean;
}

interface EvidenceRow {
  condition: string;
  date: string | null;
  place: string | null;
  document: string | null;
  text: string;
  start: number;
  end: number;
  near_start: number | null;
  near_end: number | null;
  distance_words: number | null;
  cut_before: boolean;
  cut_after: boolean;
}

interface FoundWord {
  word: string;
  count: number;
  conditions: number;
}

interface FrequencyRow {
  word: string;
  condition: string;
  count: number;
  per_million: number | null;
  low: number | null;
  high: number | null;
  documents: number;
  tokens: number;
  all_documents: number;
}

interface GridRow {
  word: string;
  time: string;
  place: string;
  condition: string;
  count: number;
  value: number | null;
  changed: boolean | null;
  shift: number | null;
  p: number | null;
}

interface MapRow {
  word: string;
  place: string;
  count: number;
  value: number | null;
  low: number | null;
  high: number | null;
  lat: number | null;
  lon: number | null;
}

interface MatrixRow {
  word: string;
  condition: string;
  against: string;
  count: number;
  similarity: number | null;
}

interface NeighborsRow {
  word: string;
  condition: string | null;
  count: number;
  rank: number | null;
  neighbor: string;
  similarity: number | null;
  score: number | null;
  neighbor_count: number;
  fallback: boolean;
}

interface Parameter {
  name: string;
  help: string;
  type: "str" | "int" | "float" | "bool";
  many: boolean;
  required: boolean;
  default: string | number | boolean | null;
  choices: string[] | null;
  complete: "conditions" | "places" | null;
  least: number | null;
  most: number | null;
}

interface PlacesRow {
  place: string;
  other: string;
  distance: number | null;
  words: number;
  group: number | null;
  other_group: number | null;
}

interface Question {
  name: string;
  group: "A word" | "All words" | "The text";
  summary: string;
  parameters: Parameter[];
  columns: Column[];
  chart: Record<string, any> | null;
  available: boolean;
  reason: string | null;
}

interface SeriesRow {
  word: string;
  condition: string;
  count: number;
  per_million: number | null;
  against: string | null;
  similarity: number | null;
  corrected: number | null;
  low: number | null;
  high: number | null;
}

interface SimilarityRow {
  word: string;
  other: string;
  condition: string;
  count: number;
  other_count: number;
  similarity: number | null;
}

interface StableRow {
  word: string;
  stability: number | null;
  z: number | null;
  conditions: number;
  count: number;
  documents: number | null;
  corrected: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
}

interface TrajectoryRow {
  word: string;
  kind: string;
  label: string;
  x: number | null;
  y: number | null;
  count: number | null;
  near_in: string[] | null;
}

interface WordsFound {
  query: string;
  total: number;
  matches: FoundWord[];
  did_you_mean: FoundWord[];
}

interface Answers {
  about: About;
  questions: Question[];
  words: WordsFound;
  neighbors: Answer<NeighborsRow>;
  equivalents: Answer<EquivalentsRow>;
  changepoints: Answer<ChangepointsRow>;
  trajectory: Answer<TrajectoryRow>;
  axis: Answer<AxisRow>;
  analogy: Answer<AnalogyRow>;
  grid: Answer<GridRow>;
  map: Answer<MapRow>;
  series: Answer<SeriesRow>;
  matrix: Answer<MatrixRow>;
  similarity: Answer<SimilarityRow>;
  drift: Answer<DriftRow>;
  stable: Answer<StableRow>;
  places: Answer<PlacesRow>;
  evidence: Answer<EvidenceRow>;
  contexts: Answer<ContextsRow>;
  frequency: Answer<FrequencyRow>;
  collocates: Answer<CollocatesRow>;
  collocate_changes: Answer<CollocateChangesRow>;
}
