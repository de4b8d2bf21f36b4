// ogre-drawn: writes the triangles that OGRE 1.12 itself draws of a heightmap.
//
//   ogre-drawn HEIGHTS SIZE SPACING X Y Z PITCH TAU OUT
//
// HEIGHTS are SIZE² float32, little endian, northern row first, SPACING metres apart. The
// eye is at X Y Z metres, X east, Y up, Z south of the first sample, and looks north,
// PITCH degrees up; the picture has 1920 × 1080 pixels and 60 degrees across. TAU is OGRE's
// maximum pixel error. Batches have 33 to 65 vertices a side, and there are no skirts in
// OUT: uint32 vertices, uint32 triangles, then x y z of each vertex as float64 in metres, and
// three uint32 of each triangle. Prints one line of JSON. Needs an X display.
#include <Ogre.h>
#include <OgreTerrain.h>
#include <OgreTerrainMaterialGenerator.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <vector>

using namespace Ogre;

// Bare is a material for terrains without maps.
struct Bare : TerrainMaterialGenerator {
    struct BareProfile : Profile {
        explicit BareProfile(TerrainMaterialGenerator* g) : Profile(g, "bare", "bare") {}
        MaterialPtr generate(const Terrain*) override {
            MaterialPtr m = MaterialManager::getSingleton().getByName("bare");
            return m ? m : MaterialManager::getSingleton().create("bare", RGN_DEFAULT);
        }
        MaterialPtr generateForCompositeMap(const Terrain* t) override { return generate(t); }
        bool isVertexCompressionSupported() const override { return false; }
        uint8 getMaxLayers(const Terrain*) const override { return 1; }
        void setLightmapEnabled(bool) override {}
        void updateParams(const MaterialPtr&, const Terrain*) override {}
        void updateParamsForCompositeMap(const MaterialPtr&, const Terrain*) override {}
        void requestOptions(Terrain* t) override {
            t->_setMorphRequired(false);
            t->_setNormalMapRequired(false);
            t->_setLightMapRequired(false);
            t->_setCompositeMapRequired(false);
        }
    };
    Bare() {
        mProfiles.push_back(OGRE_NEW BareProfile(this));
        setActiveProfile(mProfiles.back());
    }
    bool canGenerateUsingDeclaration(const TerrainLayerDeclaration&) override { return true; }
};

// Listener keeps what is queued to be drawn.
struct Listener : RenderQueue::RenderableListener {
    std::set<Renderable*> queued;
    bool renderableQueued(Renderable* r, uint8, ushort, Technique**, RenderQueue*) override {
        queued.insert(r);
        return true;
    }
};

// Drawn is what was drawn, in metres from the north-western sample.
struct Drawn {
    std::vector<double> vertices;
    std::vector<uint32_t> triangles;
    size_t all = 0; // triangles of the strips, with those of skirts
    double half = 0;

    void add(Renderable* r);
};

static std::vector<char> bytesOf(HardwareBuffer* b) {
    std::vector<char> data(b->getSizeInBytes());
    b->readData(0, data.size(), data.data());
    return data;
}

void Drawn::add(Renderable* r) {
    RenderOperation op;
    r->getRenderOperation(op);
    if (op.operationType != RenderOperation::OT_TRIANGLE_STRIP || !op.useIndexes) abort();
    Matrix4 place;
    r->getWorldTransforms(&place);
    const VertexElement* e = op.vertexData->vertexDeclaration->findElementBySemantic(VES_POSITION);
    HardwareVertexBufferSharedPtr positions = op.vertexData->vertexBufferBinding->getBuffer(e->getSource());
    if (e->getType() != VET_FLOAT3) abort();
    std::vector<char> raw = bytesOf(positions.get());
    const uint32_t base = uint32_t(vertices.size() / 3);
    for (size_t i = 0; i < positions->getNumVertices(); ++i) {
        const float* p = reinterpret_cast<const float*>(&raw[i * positions->getVertexSize() + e->getOffset()]);
        const Vector3 v = place * Vector3(p[0], p[1], p[2]);
        vertices.push_back(v.x + half);
        vertices.push_back(v.y);
        vertices.push_back(v.z + half);
    }
    std::vector<char> indices = bytesOf(op.indexData->indexBuffer.get());
    const uint16_t* id = reinterpret_cast<const uint16_t*>(indices.data()) + op.indexData->indexStart;
    if (op.indexData->indexBuffer->getType() != HardwareIndexBuffer::IT_16BIT) abort();
    all += op.indexData->indexCount - 2;
    for (size_t i = 0; i + 2 < op.indexData->indexCount; ++i) {
        uint32_t t[3];
        for (int k = 0; k < 3; ++k) t[k] = base + id[i + (i % 2 && k ? 3 - k : k)] + uint32_t(op.vertexData->vertexStart);
        const double *a = &vertices[3 * t[0]], *b = &vertices[3 * t[1]], *c = &vertices[3 * t[2]];
        const double area = (b[0] - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (b[2] - a[2]);
        if (std::fabs(area) < 1) continue; // a join of rows, or of a skirt
        triangles.insert(triangles.end(), t, t + 3);
    }
}

static void write(const Drawn& m, const char* name) {
    std::ofstream f(name, std::ios::binary);
    const uint32_t n[2] = {uint32_t(m.vertices.size() / 3), uint32_t(m.triangles.size() / 3)};
    f.write(reinterpret_cast<const char*>(n), sizeof n);
    f.write(reinterpret_cast<const char*>(m.vertices.data()), std::streamsize(m.vertices.size() * 8));
    f.write(reinterpret_cast<const char*>(m.triangles.data()), std::streamsize(m.triangles.size() * 4));
    f.close();
    if (!f) exit(1);
}

int main(int argc, char** argv) {
    if (argc != 10) {
        fprintf(stderr, "usage: ogre-drawn HEIGHTS SIZE SPACING X Y Z PITCH TAU OUT\n");
        return 2;
    }
    const int size = atoi(argv[2]);
    const double spacing = atof(argv[3]), half = spacing * (size - 1) / 2;
    std::vector<float> heights(size_t(size) * size);
    std::ifstream in(argv[1], std::ios::binary);
    for (int row = size; row-- > 0;) // OGRE's first row is the southern one
        in.read(reinterpret_cast<char*>(&heights[size_t(row) * size]), size * 4);
    if (!in) {
        fprintf(stderr, "%s: too short\n", argv[1]);
        return 1;
    }

    (new LogManager())->createLog("/dev/null", true, false, true);
    Root* root = new Root("", "", "");
    root->loadPlugin(String(OGRE_PLUGIN_DIR) + "/RenderSystem_GL");
    root->setRenderSystem(root->getAvailableRenderers().front());
    root->initialise(false);
    NameValuePairList hidden;
    hidden["hidden"] = "true";
    root->createRenderWindow("ogre-drawn", 64, 64, false, &hidden);
    ResourceGroupManager::getSingleton().initialiseAllResourceGroups();

    SceneManager* scene = root->createSceneManager();
    Camera* camera = scene->createCamera("eye");
    SceneNode* node = scene->getRootSceneNode()->createChildSceneNode();
    node->attachObject(camera);
    node->setPosition(Real(atof(argv[4]) - half), Real(atof(argv[5])), Real(atof(argv[6]) - half));
    node->pitch(Degree(Real(atof(argv[7]))));
    camera->setNearClipDistance(1);
    camera->setFarClipDistance(1e7);
    camera->setFOVy(Radian(2 * std::atan(std::tan(Math::PI / 6) * 1080 / 1920)));
    camera->setAspectRatio(Real(1920) / 1080);
    TexturePtr picture = TextureManager::getSingleton().createManual("picture", RGN_DEFAULT, TEX_TYPE_2D, 1920, 1080, 0, PF_BYTE_RGB, TU_RENDERTARGET);
    RenderTarget* target = picture->getBuffer()->getRenderTarget();
    target->addViewport(camera);

    TerrainGlobalOptions* options = OGRE_NEW TerrainGlobalOptions();
    options->setDefaultMaterialGenerator(TerrainMaterialGeneratorPtr(OGRE_NEW Bare()));
    options->setMaxPixelError(Real(atof(argv[8])));
    Terrain* terrain = OGRE_NEW Terrain(scene);
    Terrain::ImportData import;
    import.terrainAlign = Terrain::ALIGN_X_Z;
    import.terrainSize = uint16(size);
    import.worldSize = Real(2 * half);
    import.minBatchSize = 33;
    import.maxBatchSize = 65;
    import.inputFloat = heights.data();
    if (!terrain->prepare(import)) return 1;
    terrain->load(0, true);

    Listener listener;
    target->update(); // the first one brings LODs up to date
    scene->getRenderQueue()->setRenderableListener(&listener);
    target->update();
    scene->getRenderQueue()->setRenderableListener(nullptr);
    Drawn m;
    m.half = half;
    for (Renderable* r : listener.queued) m.add(r);
    write(m, argv[9]);
    printf("{\"batches\":%zu,\"triangles\":%zu,\"with_skirts_and_joins\":%zu,\"counted_by_ogre\":%zu}\n", listener.queued.size(),
           m.triangles.size() / 3, m.all, size_t(target->getStatistics().triangleCount));
    fflush(stdout);
    _Exit(0);
}
