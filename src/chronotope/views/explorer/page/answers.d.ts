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
  rank: number | null;
  word: string | null;
  similarity: number | null;
  count: number | null;
  documents: number | null;
  fallback: boolean | null;
}

interface AxisRow {
  word: string | null;
  condition: string | null;
  count: number | null;
  position: number | null;
  corrected: number | null;
  low: number | null;
  high: number | null;
  plus_seeds: number | null;
  minus_seeds: number | null;
}

interface ChangepointsRow {
  word: string | null;
  place: string | null;
  before: string | null;
  after: string | null;
  shift: number | null;
  p: number | null;
  joined: string[] | null;
  left: string[] | null;
}

interface CollocateChangesRow {
  word: string | null;
  collocate: string | null;
  direction: string | null;
  count_before: number | null;
  count_after: number | null;
  documents: number | null;
  per_thousand_before: number | null;
  per_thousand_after: number | null;
  log_ratio: number | null;
  log_likelihood: number | null;
}

interface CollocatesRow {
  word: string | null;
  condition: string | null;
  collocate: string | null;
  count: number | null;
  documents: number | null;
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
  word: string | null;
  context: string | null;
  pull: number | null;
  elsewhere: number | null;
  share: number | null;
  documents: number | null;
}

interface DriftRow {
  word: string | null;
  change: number | null;
  z: number | null;
  own: number | null;
  before: string | null;
  after: string | null;
  count_before: number | null;
  count_after: number | null;
  documents: number | null;
  largest_share: number | null;
  neighbors_before: string[] | null;
  neighbors_after: string[] | null;
  corrected: number | null;
  noise: number | null;
  low: number | null;
  high: number | null;
  effect: number | null;
  q: number | null;
  p: number | null;
  draw_stability: number | null;
  seed_stability: number | null;
  seed_spread: number | null;
}

interface EquivalentsRow {
  word: string | null;
  at: string | null;
  count: number | null;
  condition: string | null;
  rank: number | null;
  equivalent: string | null;
  equivalent_count: number | null;
  documents: number | null;
  similarity: number | null;
  score: number | null;
  needed: number | null;
  match: boolean | null;
  fallback: boolean | null;
}

interface EvidenceRow {
  condition: string | null;
  date: string | null;
  place: string | null;
  document: string | null;
  text: string | null;
  start: number | null;
  end: number | null;
  near_start: number | null;
  near_end: number | null;
  distance_words: number | null;
  cut_before: boolean | null;
  cut_after: boolean | null;
}

interface FoundWord {
  word: string;
  count: number;
  conditions: number;
}

interface FrequencyRow {
  word: string | null;
  condition: string | null;
  count: number | null;
  per_million: number | null;
  low: number | null;
  high: number | null;
  documents: number | null;
  tokens: number | null;
  all_documents: number | null;
}

interface GridRow {
  word: string | null;
  time: string | null;
  place: string | null;
  condition: string | null;
  count: number | null;
  value: number | null;
  changed: boolean | null;
  shift: number | null;
  p: number | null;
}

interface Lookup {
  query: string;
  total: number;
  matches: FoundWord[];
  did_you_mean: FoundWord[];
}

interface MapRow {
  word: string | null;
  place: string | null;
  count: number | null;
  value: number | null;
  low: number | null;
  high: number | null;
  lat: number | null;
  lon: number | null;
}

interface MatrixRow {
  word: string | null;
  condition: string | null;
  against: string | null;
  count: number | null;
  similarity: number | null;
}

interface NeighborsRow {
  word: string | null;
  condition: string | null;
  count: number | null;
  rank: number | null;
  neighbor: string | null;
  similarity: number | null;
  score: number | null;
  neighbor_count: number | null;
  documents: number | null;
  fallback: boolean | null;
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
  place: string | null;
  other: string | null;
  distance: number | null;
  words: number | null;
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

interface SensesRow {
  word: string | null;
  sense: string | null;
  condition: string | null;
  usages: number | null;
  documents: number | null;
  share: number | null;
  low: number | null;
  high: number | null;
  typical: string[] | null;
  text: string | null;
}

interface SeriesRow {
  word: string | null;
  condition: string | null;
  count: number | null;
  per_million: number | null;
  against: string | null;
  similarity: number | null;
  corrected: number | null;
  low: number | null;
  high: number | null;
}

interface SimilarityRow {
  word: string | null;
  other: string | null;
  condition: string | null;
  count: number | null;
  other_count: number | null;
  similarity: number | null;
  low: number | null;
  high: number | null;
}

interface StableRow {
  word: string | null;
  stability: number | null;
  z: number | null;
  conditions: number | null;
  count: number | null;
  documents: number | null;
  corrected: number | null;
  low: number | null;
  high: number | null;
  p: number | null;
}

interface TrajectoryRow {
  word: string | null;
  kind: string | null;
  label: string | null;
  x: number | null;
  y: number | null;
  count: number | null;
  near_in: string[] | null;
}

interface UsageChangeRow {
  word: string | null;
  before: string | null;
  after: string | null;
  count_before: number | null;
  count_after: number | null;
  documents: number | null;
  apd: number | null;
  corrected: number | null;
  prt: number | null;
  amd: number | null;
  jsd: number | null;
  p_apd: number | null;
  p_prt: number | null;
  p_amd: number | null;
  p_jsd: number | null;
  q: number | null;
}

interface Answers {
  about: About;
  analogy: Answer<AnalogyRow>;
  axis: Answer<AxisRow>;
  changepoints: Answer<ChangepointsRow>;
  collocate_changes: Answer<CollocateChangesRow>;
  collocates: Answer<CollocatesRow>;
  contexts: Answer<ContextsRow>;
  drift: Answer<DriftRow>;
  equivalents: Answer<EquivalentsRow>;
  evidence: Answer<EvidenceRow>;
  frequency: Answer<FrequencyRow>;
  grid: Answer<GridRow>;
  map: Answer<MapRow>;
  matrix: Answer<MatrixRow>;
  neighbors: Answer<NeighborsRow>;
  places: Answer<PlacesRow>;
  questions: Question[];
  senses: Answer<SensesRow>;
  series: Answer<SeriesRow>;
  similarity: Answer<SimilarityRow>;
  stable: Answer<StableRow>;
  trajectory: Answer<TrajectoryRow>;
  usage_change: Answer<UsageChangeRow>;
  words: Lookup;
}
